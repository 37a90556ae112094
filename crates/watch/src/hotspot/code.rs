//! The code cache of a JVM: what the code at an address belongs to (`codeCache.hpp`, `heap.hpp`,
//! `codeBlob.hpp`, `nmethod.hpp`).

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{JvmLayout, StructField};
use super::memory::JvmMemory;

/// No name of a class or method is longer that is worth showing.
const MAX_NAME: u16 = 1024;
/// A segment that belongs to no block.
const FREE: u8 = 0xff;
/// Heaps of code: three, or one.
const MAX_HEAPS: i64 = 16;

/// A piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodePiece {
    pub(super) kind: CodeKind,
    /// The size of its frames, with the return address, bytes; 0: they have none of their own.
    pub(super) frame_bytes: u64,
    /// From this address on its frame is set up.
    pub(super) complete_at: u64,
}

/// What a piece of code does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// It is a compiled method.
    Method(Arc<str>),
    /// It interprets methods.
    Interpreter,
    /// It is the JVM's own.
    Stub,
}

/// A heap of code.
struct CodeHeap {
    low: u64,
    high: u64,
    /// One byte for each segment: how many to go back for the beginning of its block, in steps.
    segments: u64,
    segment_bits: u32,
}

/// The fields that are read again and again.
struct CodeFields {
    block_used: StructField,
    block_bytes: u64,
    name: StructField,
    frame_size: StructField,
    frame_complete: StructField,
    /// Where a blob's code begins: an address, or an offset, by version.
    code_begin: Option<StructField>,
    code_offset: Option<StructField>,
    method: StructField,
    const_method: StructField,
    constants: StructField,
    name_index: StructField,
    holder: StructField,
    pool_bytes: u64,
    class_name: StructField,
    symbol_length: StructField,
    symbol_body: StructField,
}

impl CodeFields {
    fn of(layout: &JvmLayout) -> Option<Self> {
        let field = |structure: &str, name: &str| layout.field(&[structure], name);
        let fields = Self {
            block_used: field("HeapBlock::Header", "_used")?,
            block_bytes: layout.size("HeapBlock")?,
            name: field("CodeBlob", "_name")?,
            frame_size: field("CodeBlob", "_frame_size")?,
            frame_complete: field("CodeBlob", "_frame_complete_offset")?,
            code_begin: field("CodeBlob", "_code_begin"),
            code_offset: field("CodeBlob", "_code_offset"),
            method: layout.field(&["nmethod", "CompiledMethod"], "_method")?,
            const_method: field("Method", "_constMethod")?,
            constants: field("ConstMethod", "_constants")?,
            name_index: field("ConstMethod", "_name_index")?,
            holder: field("ConstantPool", "_pool_holder")?,
            pool_bytes: layout.size("ConstantPool")?,
            class_name: field("Klass", "_name")?,
            symbol_length: field("Symbol", "_length")?,
            symbol_body: field("Symbol", "_body")?,
        };
        let knows_code = fields.code_begin.is_some() || fields.code_offset.is_some();
        knows_code.then_some(fields)
    }
}

/// The code cache.
pub(super) struct CodeCache {
    memory: JvmMemory,
    fields: CodeFields,
    heaps: Vec<CodeHeap>,
    /// By the address of a place in it.
    known: HashMap<u64, Option<Arc<CodePiece>>>,
    /// By the address of its block.
    blocks: HashMap<u64, Option<Arc<CodePiece>>>,
    /// By the address of the JVM's `Method`.
    methods: HashMap<u64, Option<Arc<str>>>,
}

impl CodeCache {
    pub(super) fn open(memory: JvmMemory, layout: &JvmLayout) -> Option<Self> {
        let heaps: Option<Vec<CodeHeap>> = heaps(&memory, layout)?
            .into_iter()
            .map(|heap| CodeHeap::read(&memory, layout, heap))
            .collect();
        Some(Self {
            fields: CodeFields::of(layout)?,
            heaps: heaps?,
            memory,
            known: HashMap::new(),
            blocks: HashMap::new(),
            methods: HashMap::new(),
        })
    }

    /// The code at an address; none outside the cache.
    pub(super) fn at(&mut self, address: u64) -> Option<Arc<CodePiece>> {
        let heap = self.heaps.iter().find(|heap| heap.holds(address))?;
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let block = heap.block(&self.memory, address);
        let code = block.and_then(|block| self.of_block(block));
        self.known.insert(address, code.clone());
        code
    }

    /// Forgets what was read: code moves, and its place is used again.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.blocks.clear();
        self.methods.clear();
    }

    fn of_block(&mut self, block: u64) -> Option<Arc<CodePiece>> {
        if let Some(known) = self.blocks.get(&block) {
            return known.clone();
        }
        let code = self.read(block).map(Arc::new);
        self.blocks.insert(block, code.clone());
        code
    }

    fn read(&mut self, block: u64) -> Option<CodePiece> {
        let used = block.checked_add(self.fields.block_used.at)?;
        let used = self.memory.u8(used)?;
        if used == 0 {
            return None;
        }
        let blob = block.checked_add(self.fields.block_bytes)?;
        let (memory, fields) = (&self.memory, &self.fields);
        let name = memory.text(fields.name.pointer(memory, blob)?)?;
        let words = fields.frame_size.number(memory, blob)?;
        let begin = match (fields.code_begin, fields.code_offset) {
            (Some(begin), _) => begin.pointer(memory, blob)?,
            (None, offset) => blob.checked_add_signed(offset?.number(memory, blob)?)?,
        };
        let complete = fields.frame_complete.number(memory, blob)?;
        let kind = match name.as_str() {
            "nmethod" | "native nmethod" => {
                let method = fields.method.pointer(memory, blob)?;
                CodeKind::Method(self.method(method)?)
            }
            "Interpreter" => CodeKind::Interpreter,
            _ => CodeKind::Stub,
        };
        Some(CodePiece {
            kind,
            frame_bytes: u64::try_from(words).unwrap_or(0).saturating_mul(8),
            // Those without a frame say -1.
            complete_at: begin.saturating_add_signed(complete.max(0)),
        })
    }

    /// The name of the JVM's `Method` at an address: `java/lang/Thread.run`.
    pub(super) fn method(&mut self, method: u64) -> Option<Arc<str>> {
        if let Some(known) = self.methods.get(&method) {
            return known.clone();
        }
        let name = self.read_method(method).map(Arc::from);
        self.methods.insert(method, name.clone());
        name
    }

    fn read_method(&self, method: u64) -> Option<String> {
        let (memory, fields) = (&self.memory, &self.fields);
        let constant = fields.const_method.pointer(memory, method)?;
        let pool = fields.constants.pointer(memory, constant)?;
        let index = memory.u16(constant.checked_add(fields.name_index.at)?)?;
        let class = fields.holder.pointer(memory, pool)?;
        let class = self.symbol(fields.class_name.pointer(memory, class)?)?;
        let entry = fields.pool_bytes.checked_add(8 * u64::from(index))?;
        let entry = pool.checked_add(entry)?;
        let name = self.symbol(memory.u64(entry)?)?;
        Some(format!("{class}.{name}"))
    }

    /// A `Symbol`, as far as it can be a name.
    fn symbol(&self, symbol: u64) -> Option<String> {
        let length = self
            .memory
            .u16(symbol.checked_add(self.fields.symbol_length.at)?)?;
        if length == 0 || length > MAX_NAME {
            return None;
        }
        let body = symbol.checked_add(self.fields.symbol_body.at)?;
        let name = String::from_utf8(self.memory.bytes(body, length.into())?).ok()?;
        let is_name = name
            .chars()
            .all(|c| !c.is_control() && !matches!(c, ';' | ' '));
        is_name.then_some(name)
    }
}

/// The `CodeHeap`s: from JDK 9 on an array of them, before that one.
fn heaps(memory: &JvmMemory, layout: &JvmLayout) -> Option<Vec<u64>> {
    if let Some(heap) = layout.field(&["CodeCache"], "_heap") {
        return Some(vec![memory.u64(heap.at)?]);
    }
    let all = memory.u64(layout.field(&["CodeCache"], "_heaps")?.at)?;
    let length = layout.field(&["GrowableArrayBase", "GenericGrowableArray"], "_len")?;
    let data = layout.field(&["GrowableArray<int>"], "_data")?;
    let length = length.number(memory, all)?.clamp(0, MAX_HEAPS);
    let data = data.pointer(memory, all)?;
    let heap = |n: i64| memory.u64(data.checked_add_signed(n * 8)?);
    (0..length).map(heap).collect()
}

impl CodeHeap {
    fn read(memory: &JvmMemory, layout: &JvmLayout, heap: u64) -> Option<Self> {
        let field = |name: &str| layout.field(&["CodeHeap"], name);
        let space = |name: &str| layout.field(&["VirtualSpace"], name);
        let code = heap.checked_add(field("_memory")?.at)?;
        let segments = heap.checked_add(field("_segmap")?.at)?;
        let bits = field("_log2_segment_size")?.number(memory, heap)?;
        Some(Self {
            low: space("_low_boundary")?.pointer(memory, code)?,
            high: space("_high_boundary")?.pointer(memory, code)?,
            segments: space("_low_boundary")?.pointer(memory, segments)?,
            segment_bits: u32::try_from(bits).ok().filter(|bits| *bits < 32)?,
        })
    }

    fn holds(&self, address: u64) -> bool {
        (self.low..self.high).contains(&address)
    }

    /// The beginning of the block that an address is in.
    fn block(&self, memory: &JvmMemory, address: u64) -> Option<u64> {
        let mut segment = (address - self.low) >> self.segment_bits;
        loop {
            match memory.u8(self.segments.checked_add(segment)?)? {
                FREE => return None,
                0 => return Some(self.low + (segment << self.segment_bits)),
                back => segment = segment.checked_sub(back.into())?,
            }
        }
    }
}
