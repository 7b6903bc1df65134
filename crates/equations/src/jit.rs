//! Native code for straight-line programs, through Cranelift.
//!
//! A program is cut into pieces, each a function; [`CodePlan`] says how. Arithmetic is emitted as it stands; everything else calls the same Rust function as the interpreter, so
//! both give the same bits.

mod plan;

use std::collections::HashMap;
use std::mem::transmute;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};

use crate::graph::GraphTable;
use crate::node::{Binary, Unary};
use crate::program::{Op, Program};
use plan::{Base, CodePiece, CodePlan, Operand, Repeated};

/// Programs of more operations than this get the quick register allocator: compile time matters more there.
const FULL_ALLOCATION: usize = 6000;

/// (t, y, k, w, out, table)
type NativeFunction = unsafe extern "C" fn(f64, *const f64, *const f64, *mut f64, *mut f64, *const u32);

/// The native form of one program.
#[derive(Clone, Debug)]
pub struct Code {
    calls: Vec<NativeCall>,
}

/// A function, and the table of each call of it.
#[derive(Clone, Debug)]
struct NativeCall {
    function: NativeFunction,
    table: Vec<u32>,
    width: usize,
}

/// Owns the machine code of a program.
pub struct Jit {
    module: Option<JITModule>,
    pub code: Code,
    /// Tables and constants are reached by address from the code.
    _tables: Vec<GraphTable>,
    _constants: Vec<f64>,
}

// The code is written before `Jit` exists and only executed afterwards.
unsafe impl Send for Jit {}
unsafe impl Sync for Jit {}

impl Drop for Jit {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // No `Code` outlives the `Jit` that owns it: both live inside one `Compiled`.
            unsafe { module.free_memory() };
        }
    }
}

impl std::fmt::Debug for Jit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Jit of {} functions", self.code.calls.len())
    }
}

impl Code {
    /// Run. `shared` needs as many places as there are operations; y, k and out are as long as the program says.
    ///
    /// # Safety
    /// The slices must cover every index the program uses, and the owning `Jit` must be alive.
    pub unsafe fn run(&self, t: f64, y: &[f64], k: &[f64], shared: &mut [f64], out: &mut [f64]) {
        let (y, k, w, out) = (y.as_ptr(), k.as_ptr(), shared.as_mut_ptr(), out.as_mut_ptr());
        for call in &self.calls {
            for table in call.table.chunks_exact(call.width) {
                unsafe { (call.function)(t, y, k, w, out, table.as_ptr()) };
            }
        }
    }
}

impl Jit {
    /// Compile. An error means this machine cannot; the interpreter then does the work.
    pub fn new(program: &Program, tables: &[GraphTable]) -> Result<Self, String> {
        let plan = CodePlan::new(program);
        let size: usize = plan.pieces.iter().map(|p| p.range().len()).sum();
        let mut module = module(size <= FULL_ALLOCATION).map_err(|e| e.to_string())?;
        let calls = Calls::declare(&mut module)?;
        let mut context = FunctionBuilderContext::new();
        let mut ids = Vec::new();
        for piece in &plan.pieces {
            ids.push(emit(&mut module, &mut context, &calls, program, tables, &plan, piece)?);
        }
        module.finalize_definitions().map_err(|e| e.to_string())?;
        let calls = ids.iter().zip(&plan.pieces).map(|(&id, piece)| {
            let code = module.get_finalized_function(id);
            // The functions were declared with exactly this signature.
            let function = unsafe { transmute::<*const u8, NativeFunction>(code) };
            match piece {
                CodePiece::Straight(..) => NativeCall { function, table: vec![0], width: 1 },
                CodePiece::Repeated(r) => NativeCall { function, table: r.table.clone(), width: r.width },
            }
        });
        let code = Code { calls: calls.collect() };
        Ok(Jit { module: Some(module), code, _tables: tables.to_vec(), _constants: plan.constants })
    }
}

fn module(thorough: bool) -> Result<JITModule, Box<dyn std::error::Error>> {
    let mut flags = settings::builder();
    flags.set("opt_level", "none")?;
    flags.set("regalloc_algorithm", if thorough { "backtracking" } else { "single_pass" })?;
    flags.set("enable_verifier", "false")?;
    flags.set("is_pic", "false")?;
    flags.set("use_colocated_libcalls", "false")?;
    let isa = cranelift_native::builder()?.finish(settings::Flags::new(flags))?;
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    for (name, address) in FUNCTIONS1.iter().map(|&(n, _, f)| (n, f as *const u8)) {
        builder.symbol(name, address);
    }
    for (name, address) in FUNCTIONS2.iter().map(|&(n, _, f)| (n, f as *const u8)) {
        builder.symbol(name, address);
    }
    builder.symbol("table1", table1 as *const u8);
    builder.symbol("table2", table2 as *const u8);
    Ok(JITModule::new(builder))
}

type F1 = extern "C" fn(f64) -> f64;
type F2 = extern "C" fn(f64, f64) -> f64;

macro_rules! call1 {
    ($($op:ident),*) => { [$((stringify!($op), Unary::$op, { extern "C" fn f(x: f64) -> f64 { Unary::$op.eval(x) } f as F1 })),*] };
}
macro_rules! call2 {
    ($($op:ident),*) => { [$((stringify!($op), Binary::$op, { extern "C" fn f(a: f64, b: f64) -> f64 { Binary::$op.eval(a, b) } f as F2 })),*] };
}
static FUNCTIONS1: [(&str, Unary, F1); 15] =
    call1!(Sign, Exp, Ln, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Floor, Ceil);
static FUNCTIONS2: [(&str, Binary, F2); 3] = call2!(Pow, Atan2, Mod);

extern "C" fn table1(table: *const trunnion_num::Table1, x: f64, derivative: u64) -> f64 {
    // The address is that of a table kept alive by the owning `Jit`.
    unsafe { &*table }.eval(x, derivative as u8)
}

extern "C" fn table2(table: *const trunnion_num::Table2, x: f64, y: f64, orders: u64) -> f64 {
    // As in `table1`.
    unsafe { &*table }.eval(x, y, (orders >> 8) as u8, orders as u8)
}

/// Functions that native code calls.
struct Calls {
    unary: HashMap<Unary, FuncId>,
    binary: HashMap<Binary, FuncId>,
    table1: FuncId,
    table2: FuncId,
}

impl Calls {
    fn declare(module: &mut JITModule) -> Result<Self, String> {
        let mut declare = |name: &str, parameters: &[ir::Type]| {
            let mut signature = module.make_signature();
            signature.params.extend(parameters.iter().map(|&p| AbiParam::new(p)));
            signature.returns.push(AbiParam::new(types::F64));
            module.declare_function(name, Linkage::Import, &signature).map_err(|e| e.to_string())
        };
        let mut unary = HashMap::new();
        for &(name, op, _) in &FUNCTIONS1 {
            unary.insert(op, declare(name, &[types::F64])?);
        }
        let mut binary = HashMap::new();
        for &(name, op, _) in &FUNCTIONS2 {
            binary.insert(op, declare(name, &[types::F64, types::F64])?);
        }
        let table1 = declare("table1", &[types::I64, types::F64, types::I64])?;
        let table2 = declare("table2", &[types::I64, types::F64, types::F64, types::I64])?;
        Ok(Calls { unary, binary, table1, table2 })
    }
}

/// One piece as a function of its own.
fn emit(
    module: &mut JITModule,
    context: &mut FunctionBuilderContext,
    calls: &Calls,
    program: &Program,
    tables: &[GraphTable],
    plan: &CodePlan,
    piece: &CodePiece,
) -> Result<FuncId, String> {
    let mut signature = module.make_signature();
    signature.params.push(AbiParam::new(types::F64));
    signature.params.extend([AbiParam::new(types::I64); 5]);
    let id = module.declare_anonymous_function(&signature).map_err(|e| e.to_string())?;
    let mut cl = module.make_context();
    cl.func.signature = signature;
    {
        let mut builder = FunctionBuilder::new(&mut cl.func, context);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let p = builder.block_params(block).to_vec();
        let mut emitter = Emitter {
            module,
            calls,
            program,
            tables,
            builder,
            arguments: [p[0], p[1], p[2], p[3], p[4], p[5]],
            values: HashMap::new(),
            constants: HashMap::new(),
            functions: HashMap::new(),
            entries: HashMap::new(),
            first_shared: None,
            plan,
            repeated: match piece {
                CodePiece::Straight(..) => None,
                CodePiece::Repeated(r) => Some(r),
            },
        };
        for place in piece.range() {
            emitter.operation(place)?;
        }
        emitter.builder.ins().return_(&[]);
        let config = emitter.module.target_config();
        emitter.builder.finalize(config);
    }
    module.define_function(id, &mut cl).map_err(|e| e.to_string())?;
    Ok(id)
}

struct Emitter<'a> {
    module: &'a mut JITModule,
    calls: &'a Calls,
    program: &'a Program,
    tables: &'a [GraphTable],
    builder: FunctionBuilder<'a>,
    /// t, y, k, w, out, table
    arguments: [Value; 6],
    values: HashMap<u32, Value>,
    constants: HashMap<u64, Value>,
    functions: HashMap<FuncId, ir::FuncRef>,
    /// Values fetched through the table, and where the shared values of this repetition begin.
    entries: HashMap<usize, Value>,
    first_shared: Option<Value>,
    plan: &'a CodePlan,
    repeated: Option<&'a Repeated>,
}

impl Emitter<'_> {
    /// The operation at a place of the code.
    fn operation(&mut self, place: usize) -> Result<(), String> {
        let i = self.plan.code[place];
        let op = self.program.ops[i as usize];
        if let Op::Store(j, a) = op {
            let value = self.operand(place, 0, a);
            let (address, offset) = match self.repeated.map(|r| r.operands[place - r.from][1]) {
                Some(Some(Operand::Table(_, entry))) => (self.address(Base::Out, entry), 0),
                _ => (self.arguments[4], 8 * j as i32),
            };
            self.builder.ins().store(MemFlagsData::trusted(), value, address, offset);
            return Ok(());
        }
        let value = self.compute(place, op)?;
        self.values.insert(i, value);
        if let Some(shared) = self.plan.shared[i as usize] {
            let (address, offset) = match self.repeated {
                None => (self.arguments[3], 8 * shared as i32),
                Some(r) => (self.shared_base(), 8 * r.shared[place - r.from].unwrap_or(0) as i32),
            };
            self.builder.ins().store(MemFlagsData::trusted(), value, address, offset);
        }
        Ok(())
    }

    /// Operand number `which` of the operation at a place, which is operation `a`.
    fn operand(&mut self, place: usize, which: usize, a: u32) -> Value {
        let Some(repeated) = self.repeated else { return self.value(a) };
        match repeated.operands[place - repeated.from][which] {
            Some(Operand::Inner(inner)) => self.values[&self.plan.code[repeated.from + inner]],
            Some(Operand::Constant(c)) => self.constant(c),
            Some(Operand::Time) | None => self.arguments[0],
            Some(Operand::Table(base, entry)) => {
                if let Some(&v) = self.entries.get(&entry) {
                    return v;
                }
                let address = self.address(base, entry);
                let v = self.builder.ins().load(types::F64, MemFlagsData::trusted(), address, 0);
                self.entries.insert(entry, v);
                v
            }
        }
    }

    /// base + table[entry]
    fn address(&mut self, base: Base, entry: usize) -> Value {
        let base = match base {
            Base::Unknown => self.arguments[1],
            Base::Slow => self.arguments[2],
            Base::Shared => self.arguments[3],
            Base::Out => self.arguments[4],
            Base::Constant => {
                let address = self.plan.constants.as_ptr() as i64;
                self.builder.ins().iconst(types::I64, address)
            }
        };
        let table = self.arguments[5];
        let offset = self.builder.ins().uload32(MemFlagsData::trusted(), table, 4 * entry as i32);
        self.builder.ins().iadd(base, offset)
    }

    fn shared_base(&mut self) -> Value {
        if let Some(v) = self.first_shared {
            return v;
        }
        let v = self.address(Base::Shared, 0);
        self.first_shared = Some(v);
        v
    }

    /// The value of an earlier operation, fetched if another piece made it.
    fn value(&mut self, i: u32) -> Value {
        if let Some(&v) = self.values.get(&i) {
            return v;
        }
        let load = |me: &mut Self, from: usize, place: i32| {
            me.builder.ins().load(types::F64, MemFlagsData::trusted(), me.arguments[from], 8 * place)
        };
        let v = match self.program.ops[i as usize] {
            Op::Const(c) => return self.constant(c),
            Op::Time => return self.arguments[0],
            Op::Unknown(j) => load(self, 1, j as i32),
            Op::Slow(j) => load(self, 2, j as i32),
            _ => load(self, 3, self.plan.shared[i as usize].unwrap_or(0) as i32),
        };
        self.values.insert(i, v);
        v
    }

    fn constant(&mut self, c: f64) -> Value {
        if let Some(&v) = self.constants.get(&c.to_bits()) {
            return v;
        }
        let v = self.builder.ins().f64const(c);
        self.constants.insert(c.to_bits(), v);
        v
    }

    fn compute(&mut self, at: usize, op: Op) -> Result<Value, String> {
        Ok(match op {
            Op::Unary(op, a) => {
                let x = self.operand(at, 0, a);
                match op {
                    Unary::Neg => self.builder.ins().fneg(x),
                    Unary::Abs => self.builder.ins().fabs(x),
                    Unary::Sqrt => self.builder.ins().sqrt(x),
                    Unary::Not => {
                        let zero = self.constant(0.0);
                        self.truth(FloatCC::Equal, x, zero)
                    }
                    _ => self.call(self.calls.unary[&op], &[x]),
                }
            }
            Op::Binary(op, a, b) => {
                let (x, y) = (self.operand(at, 0, a), self.operand(at, 1, b));
                match op {
                    Binary::Add => self.builder.ins().fadd(x, y),
                    Binary::Sub => self.builder.ins().fsub(x, y),
                    Binary::Mul => self.builder.ins().fmul(x, y),
                    Binary::Div => self.builder.ins().fdiv(x, y),
                    Binary::Min => self.choose(FloatCC::LessThan, x, y, x, y),
                    Binary::Max => self.choose(FloatCC::GreaterThan, x, y, x, y),
                    Binary::Lt => self.truth(FloatCC::LessThan, x, y),
                    Binary::Le => self.truth(FloatCC::LessThanOrEqual, x, y),
                    Binary::Eq => self.truth(FloatCC::Equal, x, y),
                    Binary::Ne => self.truth(FloatCC::NotEqual, x, y),
                    Binary::And | Binary::Or => {
                        let (zero, one) = (self.constant(0.0), self.constant(1.0));
                        let second = self.truth(FloatCC::NotEqual, y, zero);
                        if op == Binary::And {
                            self.choose(FloatCC::NotEqual, x, zero, second, zero)
                        } else {
                            self.choose(FloatCC::NotEqual, x, zero, one, second)
                        }
                    }
                    Binary::Pow | Binary::Atan2 | Binary::Mod => self.call(self.calls.binary[&op], &[x, y]),
                }
            }
            Op::Select(c, a, b) => {
                let (c, a, b) = (self.operand(at, 0, c), self.operand(at, 1, a), self.operand(at, 2, b));
                let zero = self.constant(0.0);
                self.choose(FloatCC::NotEqual, c, zero, a, b)
            }
            Op::Table1(table, a, d) => {
                let GraphTable::One(table) = &self.tables[table as usize] else {
                    return Err("a table of two variables was used with one".into());
                };
                let address = std::sync::Arc::as_ptr(table) as i64;
                let x = self.operand(at, 0, a);
                let table = self.builder.ins().iconst(types::I64, address);
                let order = self.builder.ins().iconst(types::I64, d as i64);
                self.call(self.calls.table1, &[table, x, order])
            }
            Op::Table2(table, a, b, dx, dy) => {
                let GraphTable::Two(table) = &self.tables[table as usize] else {
                    return Err("a table of one variable was used with two".into());
                };
                let address = std::sync::Arc::as_ptr(table) as i64;
                let (x, y) = (self.operand(at, 0, a), self.operand(at, 1, b));
                let table = self.builder.ins().iconst(types::I64, address);
                let orders = self.builder.ins().iconst(types::I64, ((dx as i64) << 8) | dy as i64);
                self.call(self.calls.table2, &[table, x, y, orders])
            }
            Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_) | Op::Store(..) => {
                return Err("a leaf computes nothing".into());
            }
        })
    }

    fn choose(&mut self, condition: FloatCC, x: Value, y: Value, a: Value, b: Value) -> Value {
        let flag = self.builder.ins().fcmp(condition, x, y);
        self.builder.ins().select(flag, a, b)
    }

    fn truth(&mut self, condition: FloatCC, x: Value, y: Value) -> Value {
        let (one, zero) = (self.constant(1.0), self.constant(0.0));
        self.choose(condition, x, y, one, zero)
    }

    fn call(&mut self, function: FuncId, arguments: &[Value]) -> Value {
        let reference = match self.functions.get(&function) {
            Some(&r) => r,
            None => {
                let r = self.module.declare_func_in_func(function, self.builder.func);
                self.functions.insert(function, r);
                r
            }
        };
        let call = self.builder.ins().call(reference, arguments);
        self.builder.inst_results(call)[0]
    }
}
