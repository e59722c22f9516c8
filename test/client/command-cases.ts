import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandShell } from './run-command.ts'

/** Cases of the command line against a running service, by test name; each gets its own folder. */
export const commandCases: Readonly<Record<string, (shell: CommandShell) => Promise<void>>> = {
  'converts a file once and skips it when run again': async (shell) => {
    await writeFile(join(shell.folder, 'tea.md'), '# Tea\n\nA cup of it.\n')
    const firstRun = await shell.run(['tea.md', 'html'])
    assert.deepEqual([firstRun.code, firstRun.stdout], [0, ''], firstRun.stderr)
    assert.match(firstRun.stderr, /^✓ tea\.md → tea\.html {2}\d/)
    assert.match(await readFile(join(shell.folder, 'tea.html'), 'utf8'), /A cup of it\./)
    const { mtimeMs } = await stat(join(shell.folder, 'tea.html'))
    assert.match((await shell.run(['tea.md', 'html'])).stderr, /tea\.html {2}is up to date/)
    assert.equal((await stat(join(shell.folder, 'tea.html'))).mtimeMs, mtimeMs)
  },
  'keeps the folder tree and reports results as JSON lines': async (shell) => {
    await mkdir(join(shell.folder, 'in/deep'), { recursive: true })
    await writeFile(join(shell.folder, 'in/a.md'), '# A')
    await writeFile(join(shell.folder, 'in/deep/b.md'), '# B')
    await writeFile(join(shell.folder, 'in/video.mp4'), 'no')
    const { code, stdout, stderr } = await shell.run(['in', 'html', '--out', 'web/', '--json'])
    assert.deepEqual([code, stderr], [0, ''])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: string })
    assert.deepEqual(
      lines.map(({ status }) => status),
      ['completed', 'completed'],
    )
    assert.deepEqual((await readdir(join(shell.folder, 'web'), { recursive: true })).sort(), [
      'a.html',
      'deep',
      'deep/b.html',
    ])
  },
  'gives files that differ only in extension separate results': async (shell) => {
    await writeFile(join(shell.folder, 'tea.md'), '# From md')
    await writeFile(join(shell.folder, 'tea.txt'), 'From txt')
    for (const mark of ['✓', '=']) {
      const { code, stderr } = await shell.run(['tea.md', 'tea.txt', 'html'])
      assert.equal(code, 0, stderr)
      assert.equal(stderr.split(mark).length, 3, stderr)
    }
    assert.match(await readFile(join(shell.folder, 'tea.html'), 'utf8'), /From md/)
    assert.match(await readFile(join(shell.folder, 'tea.txt.html'), 'utf8'), /From txt/)
  },
  'creates each result once when two commands run concurrently': async (shell) => {
    const names = Array.from({ length: 6 }, (_, at) => `p${at}.md`)
    await mkdir(join(shell.folder, 'in'))
    for (const name of names) await writeFile(join(shell.folder, 'in', name), `# ${name}`)
    const bothRuns = await Promise.all([1, 2].map(() => shell.run(['in', 'html', '--out', 'web/'])))
    const stderrText = bothRuns.map(({ stderr }) => stderr).join('')
    assert.deepEqual(
      bothRuns.map(({ code }) => code),
      [0, 0],
      stderrText,
    )
    assert.deepEqual([stderrText.split('✓').length - 1, stderrText.split('=').length - 1], [6, 6], stderrText)
    const expectedNames = names.map((name) => name.replace('md', 'html'))
    assert.deepEqual((await readdir(join(shell.folder, 'web'))).sort(), expectedNames)
  },
  'converts without a writable state folder and reports the problem': async (shell) => {
    await writeFile(join(shell.folder, '.home'), 'not a folder')
    await writeFile(join(shell.folder, 'tea.md'), '# Tea')
    const { code, stderr } = await shell.run(['tea.md', 'html'])
    assert.equal(code, 0, stderr)
    assert.match(
      stderr,
      /^Progress cannot be saved, so an interrupted command will start over: ENOTDIR.*\n✓ tea\.md/,
    )
  },
  'exits quietly when the reader closes stdout, but reports a full disk': async (shell) => {
    const child = shell.start('formats', '--json')
    let stderrText = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderrText += chunk
    })
    child.stdout.once('data', () => child.stdout.destroy())
    await once(child, 'close')
    assert.doesNotMatch(stderrText, /EPIPE|at /)
    const [program = '', ...args] = shell.program
    const fullDiskArgs = ['-c', '"$0" "$@" > /dev/full', program, ...args, 'formats']
    const fullDiskResult = await new CommandShell(shell.folder, shell.env['MUTABOR_URL'] ?? '', [
      'sh',
      ...fullDiskArgs,
    ]).run([])
    assert.deepEqual(
      [fullDiskResult.code, fullDiskResult.stderr],
      [1, 'ENOSPC: no space left on device, write\n'],
    )
  },
  'converts stdin to stdout': async (shell) => {
    const { code, stdout } = await shell.run(['-', 'html', '--from', 'md'], '# Tea\n')
    assert.equal(code, 0)
    assert.match(stdout, /<h1 id="tea">Tea<\/h1>/)
    assert.equal((await shell.run(['-', 'html'], '# Tea\n')).code, 2)
  },
  'rejects an unknown option before uploading and suggests a similar one': async (shell) => {
    await writeFile(join(shell.folder, 'a.png'), 'never read')
    const { code, stderr } = await shell.run(['a.png', 'webp', '--qualty', '80'])
    assert.equal(code, 2)
    assert.match(stderr, /^png → webp has no option --qualty\. Did you mean --quality\?/)
    assert.equal((await shell.run(['missing.png', 'webp'])).stderr, 'File not found: missing.png.\n')
  },
  'exits with a different code for each kind of failure': async (shell) => {
    await writeFile(join(shell.folder, 'good.md'), '# Good')
    await writeFile(join(shell.folder, 'bad.png'), 'not an image')
    const partialResult = await shell.run(['good.md', 'bad.png', 'html'])
    assert.equal(partialResult.code, 4, partialResult.stderr)
    assert.match(partialResult.stderr, /✗ bad\.png: .* \(CORRUPT_FILE\)\n(?:.*\n)*1 of 2 done\./)
    assert.equal((await shell.run(['bad.png', 'webp'])).code, 1)
    const unreachableResult = await new CommandShell(shell.folder, 'http://127.0.0.1:9').run(['formats'])
    assert.equal(unreachableResult.code, 3)
    assert.match(unreachableResult.stderr, /cannot be reached/)
  },
  'replaces files that it did not create only with --force': async (shell) => {
    await writeFile(join(shell.folder, 'a.md'), '# New')
    await writeFile(join(shell.folder, 'a.html'), 'my own')
    assert.equal((await shell.run(['a.md', 'html'])).code, 1)
    assert.equal(await readFile(join(shell.folder, 'a.html'), 'utf8'), 'my own')
    assert.equal((await shell.run(['a.md', 'html', '--force'])).code, 0)
    assert.match(await readFile(join(shell.folder, 'a.html'), 'utf8'), /New/)
    await writeFile(join(shell.folder, 'a.md'), '# Newer')
    assert.equal((await shell.run(['a.md', 'html'])).code, 0)
    assert.match(await readFile(join(shell.folder, 'a.html'), 'utf8'), /Newer/)
  },
  'lists formats, options and jobs, and completes words': async (shell) => {
    assert.match((await shell.run(['formats', 'png'])).stdout, /^png: .*\nconverts to .*webp/)
    assert.match((await shell.run(['formats', 'excel'])).stdout, /^xlsx +document +reads writes/m)
    assert.match((await shell.run(['formats', 'combine', 'pdf'])).stdout, /^merge-pdf +pdf → pdf$/m)
    assert.equal((await shell.run(['formats', 'nosuchword'])).code, 2)
    assert.match(
      (await shell.run(['help', 'png', 'webp'])).stdout,
      /--quality +low\|medium\|high\|highest or 1–100/,
    )
    assert.match((await shell.run(['options', 'split-pdf'])).stdout, /--pages/)
    assert.equal((await shell.run(['jobs'])).code, 0)
    assert.match((await shell.run(['doctor'])).stdout, /✓ +service +http/)
    assert.match((await shell.run(['complete', '--', 'a.png', 'we'])).stdout, /^webp$/m)
    assert.equal((await shell.run(['complete', '--', 'tool', 'split-p'])).stdout, 'split-pdf\n')
    assert.match((await shell.run(['completion', 'bash'])).stdout, /complete -o default/)
  },
}
