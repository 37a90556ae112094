//! The kernel's filter: TCP and UDP (whose ports stand in the same place) of the connections that are followed, each packet of the loopback once.

use libc::{
    BPF_ABS, BPF_ADD, BPF_ALU, BPF_B, BPF_H, BPF_IMM, BPF_IND, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP,
    BPF_JSET, BPF_K, BPF_LD, BPF_LDX, BPF_MEM, BPF_MISC, BPF_MSH, BPF_MUL, BPF_RET, BPF_RSH,
    BPF_ST, BPF_TAX, BPF_W, BPF_X, sock_filter,
};

use crate::ends::{FollowedShare, SPREAD};
use crate::packet::{FOR_EACH, TCP, UDP};

/// Of a packet that is longer only so many bytes are looked at: it carries a long message, and what
/// tells requests apart are lengths, which are at its beginning.
const KEPT_BYTES: u32 = 16 << 10;
/// `ARPHRD_LOOPBACK` of `linux/if_arp.h`.
const LOOPBACK: u32 = 772;
const OUTGOING: u32 = libc::PACKET_OUTGOING as u32;
const IPV4: u32 = libc::ETH_P_IP as u32;
const IPV6: u32 = libc::ETH_P_IPV6 as u32;

/// A line of the program: its label, what it does, and where a comparison leads; an empty label is the
/// next line.
type Line = (&'static str, u32, u32, &'static str, &'static str);

const WORD: u32 = BPF_LD | BPF_W | BPF_ABS;
const HALF: u32 = BPF_LD | BPF_H | BPF_ABS;
const BYTE: u32 = BPF_LD | BPF_B | BPF_ABS;
const HALF_BEHIND: u32 = BPF_LD | BPF_H | BPF_IND;
const HEADER_TO_X: u32 = BPF_LDX | BPF_B | BPF_MSH;
const NUMBER_TO_X: u32 = BPF_LDX | BPF_W | BPF_IMM;
const TO_X: u32 = BPF_MISC | BPF_TAX;
const KEEP: u32 = BPF_ST;
const KEPT_TO_X: u32 = BPF_LDX | BPF_W | BPF_MEM;
const ADD_X: u32 = BPF_ALU | BPF_ADD | BPF_X;
const MULTIPLY: u32 = BPF_ALU | BPF_MUL | BPF_K;
const SHIFT: u32 = BPF_ALU | BPF_RSH | BPF_K;
const EQUAL: u32 = BPF_JMP | BPF_JEQ | BPF_K;
const ANY_BIT: u32 = BPF_JMP | BPF_JSET | BPF_K;
const NOT_BELOW: u32 = BPF_JMP | BPF_JGE | BPF_K;
const GO: u32 = BPF_JMP | BPF_JA;
const RETURN: u32 = BPF_RET | BPF_K;

/// What the kernel knows of a packet, as if it were a place in it.
const fn about(what: i32) -> u32 {
    (libc::SKF_AD_OFF + what).cast_unsigned()
}

/// The program for packets that begin with their network header, but for the share, which is 0 here.
const LINES: &[Line] = &[
    ("", WORD, about(libc::SKF_AD_HATYPE), "", ""),
    ("", EQUAL, LOOPBACK, "", "network"),
    ("", WORD, about(libc::SKF_AD_PKTTYPE), "", ""),
    ("", EQUAL, OUTGOING, "none", ""),
    ("network", WORD, about(libc::SKF_AD_PROTOCOL), "", ""),
    ("", EQUAL, IPV4, "", "six"),
    ("", BYTE, 9, "", ""),
    ("", EQUAL, TCP as u32, "first", ""),
    ("", EQUAL, UDP as u32, "", "none"),
    // A fragment that is not the first.
    ("first", HALF, 6, "", ""),
    ("", ANY_BIT, 0x1fff, "none", ""),
    ("", WORD, 12, "", ""),
    ("", TO_X, 0, "", ""),
    ("", WORD, 16, "", ""),
    ("", ADD_X, 0, "", ""),
    ("", KEEP, 0, "", ""),
    ("", HEADER_TO_X, 0, "", ""),
    ("", HALF_BEHIND, 0, "", ""),
    ("", KEEP, 1, "", ""),
    ("", HALF_BEHIND, 2, "", ""),
    ("", KEPT_TO_X, 1, "", ""),
    ("", ADD_X, 0, "", ""),
    ("", GO, 0, "part", ""),
    ("six", EQUAL, IPV6, "", "none"),
    ("", NUMBER_TO_X, 0, "", ""),
    ("", BYTE, 6, "", ""),
    ("", EQUAL, TCP as u32, "ports", ""),
    ("", EQUAL, UDP as u32, "ports", ""),
    // Options may stand before it, whose header says 0 if they have 8 bytes with it.
    ("", EQUAL, FOR_EACH as u32, "", "none"),
    ("", NUMBER_TO_X, 8, "", ""),
    ("", BYTE, 41, "", ""),
    ("", EQUAL, 0, "", "none"),
    ("", BYTE, 40, "", ""),
    ("", EQUAL, TCP as u32, "ports", ""),
    ("", EQUAL, UDP as u32, "", "none"),
    ("ports", HALF_BEHIND, 40, "", ""),
    ("", KEEP, 0, "", ""),
    ("", HALF_BEHIND, 42, "", ""),
    ("", KEPT_TO_X, 0, "", ""),
    ("", ADD_X, 0, "", ""),
    ("", KEEP, 0, "", ""),
    ("", WORD, 20, "", ""),
    ("", TO_X, 0, "", ""),
    ("", WORD, 36, "", ""),
    ("", ADD_X, 0, "", ""),
    ("part", KEPT_TO_X, 0, "", ""),
    ("", ADD_X, 0, "", ""),
    ("", MULTIPLY, SPREAD, "", ""),
    ("", SHIFT, 24, "", ""),
    ("", NOT_BELOW, 0, "none", ""),
    ("", RETURN, KEPT_BYTES, "", ""),
    ("none", RETURN, 0, "", ""),
];

/// The program for a share of all connections. [`FollowedShare::has`] says the same.
pub(crate) fn program(share: FollowedShare) -> Vec<sock_filter> {
    let place = |label: &str| LINES.iter().position(|line| line.0 == label);
    let steps = |from: usize, label: &str| match label {
        "" => 0,
        label => place(label).unwrap_or(from).saturating_sub(from + 1),
    };
    let compiled = LINES.iter().enumerate().map(|(at, (_, code, k, yes, no))| {
        let (yes, no) = (steps(at, yes), steps(at, no));
        let (jt, jf, k) = match *code {
            GO => (0, 0, yes as u32),
            NOT_BELOW => (yes as u8, no as u8, share.parts()),
            _ => (yes as u8, no as u8, *k),
        };
        sock_filter {
            code: *code as u16,
            jt,
            jf,
            k,
        }
    });
    compiled.collect()
}
