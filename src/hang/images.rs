//! Names for addresses in another process: the file that is mapped there, and the function, according to the file's
//! symbol table. Reads /proc/PID/maps and ELF files; if one is not as expected, the address has no name.

use std::collections::HashMap;
use std::fs;

struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    executable: bool,
    path: String,
}

struct Symbol {
    at: u64,
    size: u64,
    name: String,
}

/// The contents of a file: its load segments, and its functions by address.
#[derive(Default)]
struct Image {
    /// File offset, bytes and address of each part that is loaded.
    parts: Vec<(u64, u64, u64)>,
    functions: Vec<Symbol>,
}

/// The files seen so far, and the mappings of one process.
#[derive(Default)]
pub struct LoadedImages {
    files: HashMap<String, Image>,
    maps: Vec<Mapping>,
}

impl LoadedImages {
    /// Selects process `pid` for the following addresses.
    pub fn look_at(&mut self, pid: i32) {
        self.maps =
            fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default().lines().filter_map(mapping).collect();
    }

    fn mapping(&self, at: u64) -> Option<&Mapping> {
        self.maps.iter().find(|map| (map.start..map.end).contains(&at))
    }

    /// Whether `at` is in executable memory.
    pub fn is_code(&self, at: u64) -> bool {
        self.mapping(at).is_some_and(|map| map.executable)
    }

    /// `at` by name: `main+0x1c (a.out+0x11c6)`. `returns`: it is where a call returns to, so that the call is before it.
    pub fn name(&mut self, at: u64, returns: bool) -> String {
        let Some(map) = self.mapping(at) else { return format!("{at:#x}") };
        let (path, in_file) = (map.path.clone(), at - map.start + map.offset);
        let file = path.rsplit('/').next().unwrap_or(&path).to_string();
        if !path.starts_with('/') {
            return format!("{at:#x} ({file})");
        }
        let image = self.files.entry(path).or_insert_with_key(|path| Image::read(path).unwrap_or_default());
        let address = image.address(in_file);
        match address.and_then(|address| image.function(address - u64::from(returns))) {
            Some(function) => {
                let into = address.unwrap_or_default() - function.at;
                format!("{}+{into:#x} ({file}+{:#x})", readable(&function.name), address.unwrap_or_default())
            }
            None => format!("{at:#x} ({file}+{:#x})", address.unwrap_or(in_file)),
        }
    }
}

/// A name of Rust's older scheme, as C++ has it, in words: `_ZN6gasnet3job3Job4poll17h0123456789abcdefE` is
/// `gasnet::job::Job::poll`. Any other name stays.
fn readable(name: &str) -> String {
    let parts = || {
        let mut rest = name.strip_prefix("_ZN")?.strip_suffix('E')?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let (part, after) = rest[digits..].split_at_checked(rest[..digits].parse().ok()?)?;
            parts.push(part);
            rest = after;
        }
        // The last one is a hash.
        parts.pop_if(|last| last.len() == 17 && last.starts_with('h'));
        Some(parts)
    };
    let Some(parts) = parts() else { return name.to_string() };
    let mut text = parts.join("::");
    for (code, sign) in [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$RF$", "&"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("..", "::"),
    ] {
        text = text.replace(code, sign);
    }
    text
}

fn mapping(line: &str) -> Option<Mapping> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let executable = fields.next()?.contains('x');
    let offset = hex(fields.next()?)?;
    let path = fields.nth(2).unwrap_or("anonymous memory").to_string();
    Some(Mapping { start: hex(start)?, end: hex(end)?, offset, executable, path })
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut all = [0; 8];
    all[..N].copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    Some(u64::from_le_bytes(all))
}

impl Image {
    /// An ELF file of 64 bits, little-endian (System V ABI, "Object Files").
    fn read(path: &str) -> Option<Image> {
        let bytes = fs::read(path).ok()?;
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let half = |at| number::<2>(&bytes, at);
        let word = |at| number::<4>(&bytes, at);
        let long = |at| number::<8>(&bytes, at);
        let mut image = Image::default();
        let (headers, size) = (long(32)? as usize, half(54)? as usize);
        for index in 0..half(56)? as usize {
            let at = headers + index * size;
            const LOAD: u64 = 1;
            if word(at)? == LOAD {
                image.parts.push((long(at + 8)?, long(at + 32)?, long(at + 16)?));
            }
        }
        let (sections, size) = (long(40)? as usize, half(58)? as usize);
        for index in 0..half(60)? as usize {
            let at = sections + index * size;
            const SYMBOLS: u64 = 2;
            const DYNAMIC_SYMBOLS: u64 = 11;
            if ![SYMBOLS, DYNAMIC_SYMBOLS].contains(&word(at + 4)?) {
                continue;
            }
            let (first, bytes_of_all) = (long(at + 24)? as usize, long(at + 32)? as usize);
            let names = long(sections + word(at + 40)? as usize * size + 24)? as usize;
            for symbol in (first..first.checked_add(bytes_of_all)?).step_by(24) {
                const FUNCTION: u64 = 2;
                let (address, length) = (long(symbol + 8)?, long(symbol + 16)?);
                if number::<1>(&bytes, symbol + 4)? & 15 == FUNCTION && address != 0 {
                    let name = bytes.get(names + word(symbol)? as usize..)?;
                    let name = &name[..name.iter().position(|&byte| byte == 0)?];
                    let name = String::from_utf8_lossy(name).into_owned();
                    image.functions.push(Symbol { at: address, size: length, name });
                }
            }
        }
        image.functions.sort_by_key(|function| function.at);
        Some(image)
    }

    fn address(&self, in_file: u64) -> Option<u64> {
        let holds = |&&(offset, bytes, _): &&(u64, u64, u64)| in_file >= offset && in_file - offset < bytes;
        self.parts.iter().find(holds).map(|&(offset, _, address)| in_file - offset + address)
    }

    fn function(&self, address: u64) -> Option<&Symbol> {
        let after = self.functions.partition_point(|function| function.at <= address);
        self.functions[..after].last().filter(|function| address - function.at < function.size.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ours_has_the_name_of_its_function() {
        let mut images = LoadedImages::default();
        images.look_at(std::process::id() as i32);
        let here = mapping as *const () as u64;
        assert!(images.is_code(here));
        assert!(images.name(here, false).contains("mapping"), "{}", images.name(here, false));
        assert_eq!(images.name(8, false), "0x8");
    }

    #[test]
    fn mangled_names_become_readable_and_others_stay() {
        assert_eq!(readable("_ZN6gasnet3job3Job4poll17h0123456789abcdefE"), "gasnet::job::Job::poll");
        assert_eq!(
            readable("_ZN6gasnet7barrier34_$LT$impl$u20$gasnet..job..Job$GT$4wait17h0123456789abcdefE"),
            "gasnet::barrier::_<impl gasnet::job::Job>::wait"
        );
        for name in ["main", "_ZN", "_ZN9999xE", "_ZN3", "_Z3foov"] {
            assert_eq!(readable(name), name);
        }
    }

    #[test]
    fn what_is_no_elf_file_has_no_functions() {
        assert!(Image::read("/proc/self/cmdline").is_none());
        assert!(Image::read("/nonexistent").is_none());
    }
}
