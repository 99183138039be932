//! Links the release executables without what they have no use for.

use std::env;

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
    }
}
