//! A response that arrives in one piece is read without allocating, and an idle
//! reader holds no memory.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use plimsoll_load::kit::http1::{
    Head, Progress, RequestMethod, ResponseLimits, ResponseReader, Sink,
};

thread_local! {
    /// Allocations of this thread, and bytes it holds.
    static COUNT: Cell<(u64, i64)> = const { Cell::new((0, 0)) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting
// touches a constant-initialised thread-local without a destructor, which does
// not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (count, held) = COUNT.get();
        COUNT.set((count + 1, held + layout.size() as i64));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let (count, held) = COUNT.get();
        COUNT.set((count, held - layout.size() as i64));
        // SAFETY: `pointer` came from `System.alloc` with this `layout`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Nothing;

impl Sink for Nothing {
    fn head(&mut self, _: &Head<'_>) {}
    fn body(&mut self, _: &[u8]) {}
}

const RESPONSES: [&[u8]; 4] = [
    b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 2\r\n\r\nhi",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 304 Not Modified\r\nConnection: Keep-Alive\r\nETag: x\r\n\r\n",
];

#[test]
fn a_response_in_one_piece_allocates_nothing() {
    let mut reader = ResponseReader::new();
    let before = COUNT.get();
    for response in RESPONSES {
        reader.start(RequestMethod::Other, &ResponseLimits::default());
        let progress = reader.feed(response, &mut Nothing);
        assert!(matches!(progress, Ok(Progress::Done { .. })));
    }
    assert_eq!(COUNT.get(), before);
}

#[test]
fn an_idle_reader_holds_nothing() {
    let mut reader = ResponseReader::new();
    let (_, before) = COUNT.get();
    for response in RESPONSES {
        reader.start(RequestMethod::Other, &ResponseLimits::default());
        reader.feed(&response[..15], &mut Nothing).unwrap();
        assert!(COUNT.get().1 > before, "a part of a head is kept");
        reader.feed(&response[15..], &mut Nothing).unwrap();
        assert!(reader.is_idle());
        assert_eq!(COUNT.get().1, before);
    }
    reader.start(RequestMethod::Other, &ResponseLimits::default());
    reader.feed(&RESPONSES[0][..15], &mut Nothing).unwrap();
    reader.feed(b"\0", &mut Nothing).unwrap_err();
    assert_eq!(COUNT.get().1, before, "after an error");
}
