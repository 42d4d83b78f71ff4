//! Schedules of the simulated network, searched by a fuzzer: its bytes decide the network's behaviour; when they are used
//! up, the network is good.

use super::input::Input;
use super::world::World;

pub fn run(data: &[u8]) {
    World::new(Input::bytes_and_more(data)).run();
}
