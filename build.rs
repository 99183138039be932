//! Links the release executables without what they have no use for.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=bins/lean.ld");
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        // A panic aborts, so nothing ever reads the tables for unwinding: a seventh of the file. (rustc itself cannot
        // leave them out, because the standard library comes compiled with them.)
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{folder}/bins/lean.ld");
        println!("cargo:rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
        // At a fixed address the loader has 2,800 pointers less to relocate: a tenth of what a silent call costs. (A
        // static executable is told so by `relocation-model=static`; the linker's word alone would break it.)
        if !env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default().contains("crt-static") {
            println!("cargo:rustc-link-arg-bins=-no-pie");
        }
        // The unwinder from its archive: one library less to find, map and relocate, another tenth.
        println!("cargo:rustc-link-lib=gcc_eh");
        // Functions that came out the same are kept once, which the linker that comes with rustc can do.
        if let Some(folder) = own_linker() {
            println!("cargo:rustc-link-arg-bins=-B{folder}");
            println!("cargo:rustc-link-arg-bins=-fuse-ld=lld");
            println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}

/// Where rustc's own linker lies, if it came with one.
fn own_linker() -> Option<String> {
    let host = env::var("HOST").ok().filter(|host| env::var("TARGET").is_ok_and(|target| target == *host))?;
    let output = Command::new(env::var_os("RUSTC")?).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let folder = format!("{}/lib/rustlib/{}/bin/gcc-ld", sysroot.trim_end(), host);
    Path::new(&folder).join("ld.lld").is_file().then_some(folder)
}
