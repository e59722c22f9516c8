/**
 * Traces pixels to an SVG by VTracer. A program of its own, started by node: tracing computes for seconds in native
 * code, which nothing but the end of its process stops.
 *
 * usage: node trace.mjs <native module> <pixels, 4 bytes each> <width> <height> <out.svg> <settings as JSON>
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [binding, source, width, height, target, settings] = process.argv.slice(2)
// Not by `require`, which reads package.json in all folders above and fails where it may not.
const loaded = { exports: {} }
process.dlopen(loaded, binding)
const size = { width: Number(width), height: Number(height) }
writeFileSync(target, loaded.exports.vectorizeRawSync(readFileSync(source), size, JSON.parse(settings)))
