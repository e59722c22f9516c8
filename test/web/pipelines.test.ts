import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import {
  buildCommandLine,
  buildTasks,
  type PipelineSource,
  parsePipeline,
} from '../../functions/web/sections/pipelines/pipeline.ts'

const steps = [
  { key: 'a', to: 'pdf', values: {} },
  { key: 'b', tool: 'encrypt-pdf', values: { password: 'a$(touch x)`id` "\\ é' } },
]
const password = { name: 'password', type: 'string', label: 'Password' }
const options = [[], [password]] as unknown as Parameters<typeof buildTasks>[2]

describe('building a pipeline', () => {
  test('a pipeline becomes a chain of tasks whose result is exported', () => {
    const file = { operation: 'import/url', url: 'https://a.test/b.md' }
    assert.deepEqual(buildTasks(file, steps, options), {
      file,
      'step-1': { operation: 'convert', input: 'file', output_format: 'pdf' },
      'step-2': { operation: 'encrypt-pdf', input: 'step-1', options: steps[1]?.values },
      result: { operation: 'export/url', input: 'step-2' },
    })
  })

  test('a pipeline becomes a command that sends its options unchanged despite shell metacharacters', () => {
    for (const url of ['', "https://a.test/it's?a=$HOME"]) {
      const pipeline = { from: 'md', url, steps }
      const createTasks = (source: PipelineSource) => buildTasks(source, steps, options)
      const command = buildCommandLine(pipeline, 'http://localhost:1', createTasks)
      // Stubs for the programs of the command: curl prints its input, base64 its argument.
      const script = `curl() { cat; }; base64() { printf 'bytes of %s' "$2"; }; API_KEY=k\n${command}`
      const { tasks: sentTasks } = JSON.parse(execFileSync('bash', ['-c', script], { encoding: 'utf8' }))
      assert.equal(sentTasks['step-2'].options.password, steps[1]?.values.password)
      if (url) assert.equal(sentTasks.file.url, url)
      else assert.equal(sentTasks.file.file, 'bytes of sample.md')
    }
  })

  test('a pipeline is restored from storage, or is empty if the stored text is invalid', () => {
    assert.deepEqual(parsePipeline(JSON.stringify({ from: 'md', url: '', steps })).steps, steps)
    for (const odd of [null, '', '{', '[]', '{"steps":3}', '{"steps":[null,{"key":"a"}]}'])
      assert.deepEqual(parsePipeline(odd), { from: '', url: '', steps: [] }, String(odd))
  })
})
