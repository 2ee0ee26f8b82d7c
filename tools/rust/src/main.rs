//! A protoc plugin: the messages of prost and the clients and servers of tonic,
//! and a `lib.rs` that holds them as modules.

use std::error::Error;
use std::io::{Read, Write};

use prost::Message;
use prost_types::compiler::{code_generator_response::File, CodeGeneratorRequest, CodeGeneratorResponse};
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    let request = CodeGeneratorRequest::decode(&input[..])?;

    let folder = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .emit_rerun_if_changed(false)
        .out_dir(folder.path())
        .include_file("lib.rs")
        .compile_fds(FileDescriptorSet { file: request.proto_file })?;

    let mut response = CodeGeneratorResponse {
        supported_features: Some(1), // proto3 optional
        ..Default::default()
    };
    let mut written: Vec<_> = std::fs::read_dir(folder.path())?.collect::<Result<_, _>>()?;
    written.sort_by_key(std::fs::DirEntry::file_name);
    for entry in written {
        response.file.push(File {
            name: Some(entry.file_name().to_string_lossy().into_owned()),
            content: Some(std::fs::read_to_string(entry.path())?),
            ..Default::default()
        });
    }
    std::io::stdout().write_all(&response.encode_to_vec())?;
    Ok(())
}
