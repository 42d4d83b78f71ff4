//! Names for addresses in another process: the file that is mapped there, and the function, according to the file's
//! symbol table. Reads /proc/PID/maps and ELF files; if one is not as expected, the address has no name.

use std::collections::HashMap;
use std::fs;

use object::read::elf::{ElfFile64, ElfSymbol64};
use object::{LittleEndian, Object, ObjectSegment, ObjectSymbol, SymbolKind};

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
pub(crate) struct LoadedImages {
    files: HashMap<String, Image>,
    maps: Vec<Mapping>,
}

impl LoadedImages {
    /// Selects process `pid` for the following addresses.
    pub(crate) fn look_at(&mut self, pid: i32) {
        self.maps =
            fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default().lines().filter_map(mapping).collect();
    }

    fn mapping(&self, at: u64) -> Option<&Mapping> {
        self.maps.iter().find(|map| (map.start..map.end).contains(&at))
    }

    /// Whether `at` is in executable memory.
    pub(crate) fn is_code(&self, at: u64) -> bool {
        self.mapping(at).is_some_and(|map| map.executable)
    }

    /// The name of `at`: `main+0x1c (a.out+0x11c6)`. `returns`: `at` is a return address, so the call is before it.
    pub(crate) fn name(&mut self, at: u64, returns: bool) -> String {
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
                format!(
                    "{:#}+{into:#x} ({file}+{:#x})",
                    rustc_demangle::demangle(&function.name),
                    address.unwrap_or_default()
                )
            }
            None => format!("{at:#x} ({file}+{:#x})", address.unwrap_or(in_file)),
        }
    }
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

impl Image {
    fn read(path: &str) -> Option<Image> {
        let bytes = fs::read(path).ok()?;
        let file = ElfFile64::<LittleEndian>::parse(&*bytes).ok()?;
        let parts = file.segments().map(|part| {
            let (offset, bytes) = part.file_range();
            (offset, bytes, part.address())
        });
        let defined = |symbol: &ElfSymbol64<LittleEndian>| symbol.kind() == SymbolKind::Text && symbol.address() != 0;
        let mut functions: Vec<_> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(defined)
            .filter_map(|symbol| {
                let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
                Some(Symbol { at: symbol.address(), size: symbol.size(), name })
            })
            .collect();
        functions.sort_by_key(|function| function.at);
        Some(Image { parts: parts.collect(), functions })
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
    fn names_of_methods_are_readable() {
        let mut images = LoadedImages::default();
        images.look_at(std::process::id() as i32);
        let method = LoadedImages::look_at as *const () as u64;
        let name = images.name(method, false);
        assert!(name.contains("Images>::look_at+0x0 (") || name.contains("LoadedImages::look_at+0x0 ("), "{name}");
    }

    #[test]
    fn what_is_no_elf_file_has_no_functions() {
        assert!(Image::read("/proc/self/cmdline").is_none());
        assert!(Image::read("/nonexistent").is_none());
    }
}
