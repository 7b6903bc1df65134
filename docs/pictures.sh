#!/bin/sh
# Makes the pictures of the manual with the program itself: docs/pictures.sh path/to/trunnion
set -eu
trunnion=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first model: its page is the script.
awk '/^```toml/ { on = 1; next } /^```/ { if (on) exit } on' tutorial/first-model.md > "$work/strut.toml"
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' tutorial/first-model.md > "$work/commands"
(cd "$work" && trunnion() { "$trunnion" "$@"; } && . ./commands > /dev/null)
cp "$work"/strut-*.svg pictures/

# One picture for every example that says what to plot and that a page shows, and one bond graph for those with a network.
mkdir -p pictures/examples
for model in ../examples/*/*.toml ../examples/*/*/*.toml; do
    name=$(basename "$model" .toml)
    if grep -q '^plot' "$model" && grep -q "pictures/examples/$name.svg" ./*/*.md; then
        "$trunnion" plot "$model" -o "pictures/examples/$name.svg" > /dev/null
    fi
done
for name in radar_pedestal formula_one crane_linked crane_four_dof; do
    "$trunnion" graph ../examples/*/*/$name.toml -o "pictures/examples/$name-graph.svg" > /dev/null
done

# The forestry crane: in motion, full against reduced, ringing.
crane=../examples/machines/forestry/crane.toml
"$trunnion" plot $crane --view side --frames 5 --to 10 --trace stick.tip -o pictures/examples/crane-view.svg > /dev/null
"$trunnion" compare $crane --set-b hydraulics=reduced -y e,reach.p_2,u_sk --units bar --plot pictures/examples/crane-compare.svg > /dev/null
"$trunnion" compare $crane --set-b hydraulics=reduced -y raise.p_1 --units bar --plot pictures/examples/crane-boom.svg > /dev/null
"$trunnion" plot $crane --set motion=ring --set run.t_end="5 s" --units bar -y reach.p_2,raise.p_1 -o pictures/examples/crane-ring.svg > /dev/null

# Mechanisms in motion.
"$trunnion" plot ../examples/domains/mechanisms/driven_arm.toml --view iso --frames 4 --trace forearm.end -o pictures/examples/driven_arm-view.svg > /dev/null
"$trunnion" plot ../examples/domains/mechanisms/bricard_square.toml --view iso --at 0,0.5,1 -o pictures/examples/bricard_square-view.svg > /dev/null
"$trunnion" plot ../examples/machines/torx/torx.toml --view iso --at 0,1.4 --trace platform -o pictures/examples/torx-view.svg > /dev/null
"$trunnion" plot ../examples/machines/elastic_boom/elastic_boom.toml --view side --at 0,6 -o pictures/examples/elastic_boom-view.svg > /dev/null
"$trunnion" plot ../examples/machines/emats/emats.toml --view side --at 0,9 --trace load -o pictures/examples/emats-view.svg > /dev/null
"$trunnion" plot ../examples/machines/excavator/load_sensing_arm.toml --view xy --at 0,3.5 -o pictures/examples/load_sensing_arm-view.svg > /dev/null

# An elastic arm: stress while it turns, and a mode.
arm=../examples/domains/elastic/loaded_arm.toml
"$trunnion" plot $arm --view iso --at 0,0.78 --stress -o pictures/examples/loaded_arm-stress.svg > /dev/null
"$trunnion" modes $arm --balance --mode 2 --plot pictures/examples/loaded_arm-mode.svg > /dev/null
