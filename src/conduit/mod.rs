//! Networks that carry bytes between ranks that share no memory.

pub mod udp;
