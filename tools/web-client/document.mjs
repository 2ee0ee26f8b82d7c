// Holds an OpenAPI document against the specification's own schema.
//
//   node document.mjs URL
import { Validator } from "@seriousme/openapi-schema-validator";

const document = await (await fetch(process.argv[2])).json();
const validator = new Validator();
const result = await validator.validate(document);
console.log(JSON.stringify({ valid: result.valid, version: validator.version, errors: result.errors ?? [] }));
