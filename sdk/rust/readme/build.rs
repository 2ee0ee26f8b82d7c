//! Makes a module of each Rust snippet of the README. Where the gateway is and where a server listens are
//! the environment's.

use std::{env, error::Error, fmt::Write, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../README.md");
    let readme = fs::read_to_string("../README.md")?;
    let (mut modules, mut arms) = (String::new(), String::new());
    for (number, rest) in readme.split("```rust\n").skip(1).enumerate() {
        let snippet = rest.split("```").next().unwrap_or_default();
        let snippet = snippet
            .replace("\"127.0.0.1:7440\"", "std::env::var(\"GATEWAY\").unwrap()")
            .replace("\"127.0.0.1:8080\"", "std::env::var(\"LISTEN\").unwrap()")
            .replace("async fn main", "pub async fn main");
        writeln!(modules, "mod snippet{number} {{\n{snippet}\n}}")?;
        writeln!(arms, "{number} => snippet{number}::main()?,")?;
    }
    let run = "fn run(number: usize) -> Result<bool, Box<dyn std::error::Error>>";
    writeln!(modules, "{run} {{\nmatch number {{\n{arms}_ => return Ok(false),\n}}\nOk(true)\n}}")?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("snippets.rs"), modules)?;
    Ok(())
}
