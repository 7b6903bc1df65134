//! Native code for straight-line programs, through Cranelift.
//!
//! A program is cut into functions of at most [`CHUNK`] operations: register allocation takes more than linear
//! time, and short functions keep it near linear. Values that a later chunk needs go through the array w.
//! Arithmetic is emitted as it stands; everything else calls the same Rust function as the interpreter, so
//! both give the same bits.

use std::collections::HashMap;
use std::mem::transmute;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};

use crate::graph::Table;
use crate::node::{Binary, Unary};
use crate::program::{Op, Program};

/// Operations a function. Measured on 50 000 operations: longer ones compile slower, shorter ones pass more
/// values through memory.
const CHUNK: usize = 1000;

/// Programs of more operations than this get the quick register allocator: compile time matters more there.
const THOROUGH: usize = 6000;

/// (t, y, k, w, out)
type Native = unsafe extern "C" fn(f64, *const f64, *const f64, *mut f64, *mut f64);

/// The native form of one program.
#[derive(Clone, Debug)]
pub struct Code {
    chunks: Vec<Native>,
}

/// Owns the machine code of a program.
pub struct Jit {
    module: Option<JITModule>,
    pub code: Code,
    /// Tables are reached by address from the code.
    _tables: Vec<Table>,
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
        write!(f, "Jit of {} functions", self.code.chunks.len())
    }
}

impl Code {
    /// Run. `shared` needs as many places as there are operations; y, k and out are as long as the program says.
    ///
    /// # Safety
    /// The slices must cover every index the program uses, and the owning `Jit` must be alive.
    pub unsafe fn run(&self, t: f64, y: &[f64], k: &[f64], shared: &mut [f64], out: &mut [f64]) {
        for chunk in &self.chunks {
            unsafe { chunk(t, y.as_ptr(), k.as_ptr(), shared.as_mut_ptr(), out.as_mut_ptr()) };
        }
    }
}

impl Jit {
    /// Compile. An error means this machine cannot; the interpreter then does the work.
    pub fn new(program: &Program, tables: &[Table]) -> Result<Self, String> {
        let mut module = module(program.ops.len() <= THOROUGH).map_err(|e| e.to_string())?;
        let calls = Calls::declare(&mut module)?;
        let mut context = FunctionBuilderContext::new();
        let plan = Plan::new(program);
        let mut ids = Vec::new();
        for chunk in 0..plan.n_chunks {
            ids.push(emit(&mut module, &mut context, &calls, program, tables, &plan, chunk)?);
        }
        module.finalize_definitions().map_err(|e| e.to_string())?;
        // The functions were declared with exactly this signature.
        let native =
            |&id: &FuncId| unsafe { transmute::<*const u8, Native>(module.get_finalized_function(id)) };
        let code = Code { chunks: ids.iter().map(native).collect() };
        Ok(Jit { module: Some(module), code, _tables: tables.to_vec() })
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

/// Which operation belongs to which chunk, and which values cross chunks.
struct Plan {
    n_chunks: usize,
    /// Place in w of operations that a later chunk reads.
    shared: HashMap<u32, i32>,
}

/// Leaves are read again in every chunk instead of being passed on.
fn is_leaf(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_))
}

fn operands(op: Op) -> impl Iterator<Item = u32> {
    let slots = match op {
        Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_) => [None; 3],
        Op::Unary(_, a) | Op::Table1(_, a, _) | Op::Store(_, a) => [Some(a), None, None],
        Op::Binary(_, a, b) | Op::Table2(_, a, b, _, _) => [Some(a), Some(b), None],
        Op::Select(c, a, b) => [Some(c), Some(a), Some(b)],
    };
    slots.into_iter().flatten()
}

impl Plan {
    fn new(program: &Program) -> Self {
        let mut shared = HashMap::new();
        for (i, &op) in program.ops.iter().enumerate() {
            for a in operands(op) {
                if a as usize / CHUNK != i / CHUNK && !is_leaf(program.ops[a as usize]) {
                    let next = shared.len() as i32;
                    shared.entry(a).or_insert(next);
                }
            }
        }
        Plan { n_chunks: program.ops.len().div_ceil(CHUNK), shared }
    }
}

/// One chunk as a function of its own.
fn emit(
    module: &mut JITModule,
    context: &mut FunctionBuilderContext,
    calls: &Calls,
    program: &Program,
    tables: &[Table],
    plan: &Plan,
    chunk: usize,
) -> Result<FuncId, String> {
    let mut signature = module.make_signature();
    signature.params.push(AbiParam::new(types::F64));
    signature.params.extend([AbiParam::new(types::I64); 4]);
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
            arguments: [p[0], p[1], p[2], p[3], p[4]],
            values: HashMap::new(),
            constants: HashMap::new(),
            functions: HashMap::new(),
            plan,
        };
        let end = ((chunk + 1) * CHUNK).min(program.ops.len());
        for i in chunk * CHUNK..end {
            emitter.operation(i as u32)?;
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
    tables: &'a [Table],
    builder: FunctionBuilder<'a>,
    /// t, y, k, w, out
    arguments: [Value; 5],
    values: HashMap<u32, Value>,
    constants: HashMap<u64, Value>,
    functions: HashMap<FuncId, ir::FuncRef>,
    plan: &'a Plan,
}

impl Emitter<'_> {
    fn operation(&mut self, i: u32) -> Result<(), String> {
        let op = self.program.ops[i as usize];
        if is_leaf(op) {
            return Ok(()); // read where it is first used
        }
        if let Op::Store(j, a) = op {
            let value = self.value(a);
            self.builder.ins().store(MemFlagsData::trusted(), value, self.arguments[4], 8 * j as i32);
            return Ok(());
        }
        let value = self.compute(op)?;
        self.values.insert(i, value);
        if let Some(&place) = self.plan.shared.get(&i) {
            self.builder.ins().store(MemFlagsData::trusted(), value, self.arguments[3], 8 * place);
        }
        Ok(())
    }

    /// The value of an earlier operation, fetched if another chunk made it.
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
            _ => load(self, 3, self.plan.shared[&i]),
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

    fn compute(&mut self, op: Op) -> Result<Value, String> {
        Ok(match op {
            Op::Unary(op, a) => {
                let x = self.value(a);
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
                let (x, y) = (self.value(a), self.value(b));
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
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                let zero = self.constant(0.0);
                self.choose(FloatCC::NotEqual, c, zero, a, b)
            }
            Op::Table1(table, a, d) => {
                let Table::One(table) = &self.tables[table as usize] else {
                    return Err("a table of two variables was used with one".into());
                };
                let address = std::sync::Arc::as_ptr(table) as i64;
                let x = self.value(a);
                let table = self.builder.ins().iconst(types::I64, address);
                let order = self.builder.ins().iconst(types::I64, d as i64);
                self.call(self.calls.table1, &[table, x, order])
            }
            Op::Table2(table, a, b, dx, dy) => {
                let Table::Two(table) = &self.tables[table as usize] else {
                    return Err("a table of one variable was used with two".into());
                };
                let address = std::sync::Arc::as_ptr(table) as i64;
                let (x, y) = (self.value(a), self.value(b));
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
