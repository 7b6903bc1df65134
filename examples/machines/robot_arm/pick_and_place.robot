# A part from the belt into the fixture, and back home.
output gripper
output belt_clamp = on                        # holds the part on the belt
output fixture                                # holds it where it is placed

work  belt  = frame(620 mm, -300 mm, 380 mm)
work  cell  = frame(450 mm, 420 mm, 450 mm; 0, 0, 90 deg)
point home  = joints(0, 0, 0, 0, 90 deg, 0)
point part  = pose(0, 0, 80 mm; 180 deg, 0, 0)

procedure hold(closed)
  set gripper = closed
  wait 0.1 s
end

profile scurve
speed 60 %
speed 400 mm/s
use work belt
move joint part shifted (0, 0, 120 mm)
move linear part speed 150 mm/s
call hold(on)
set belt_clamp = off
wait 0.1 s
move linear part shifted (0, 0, 200 mm) blend 50 mm
move linear part shifted (-50 mm, 200 mm, 200 mm)
use work cell
move joint part shifted (0, 0, 120 mm)
move linear part speed 150 mm/s
set fixture = on
wait 0.1 s
call hold(off)
move linear part shifted (0, 0, 120 mm)
use work none
move joint home
