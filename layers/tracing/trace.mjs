/**
 * Traces pixels to an SVG with VTracer. It is a separate program, because tracing runs for seconds in native code that
 * can only be stopped by killing the process.
 *
 * usage: node trace.mjs <native module> <pixels, 4 bytes each> <width> <height> <out.svg> <settings as JSON>
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [binding, source, width, height, target, settings] = process.argv.slice(2)
// `require` would read package.json in all parent folders and fail in the sandbox.
const nativeModule = { exports: {} }
process.dlopen(nativeModule, binding)
const size = { width: Number(width), height: Number(height) }
writeFileSync(target, nativeModule.exports.vectorizeRawSync(readFileSync(source), size, JSON.parse(settings)))
