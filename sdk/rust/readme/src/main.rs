//! Runs the snippet of the README whose number, from 0, is the argument.

include!(concat!(env!("OUT_DIR"), "/snippets.rs"));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = std::env::args().nth(1).unwrap_or_default().parse()?;
    if run(number)? { Ok(()) } else { Err("no such snippet".into()) }
}
