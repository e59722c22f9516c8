import { waitUntil } from '../wait-until.ts'
import { place, screen, type Terminal } from './tmux-screen.ts'

const typed = [
  ['mutabor tool split-p', /mutabor tool split-pdf/],
  ['mutabor tea.md htm', /mutabor tea\.md html/],
  ['mutabor a.png webp --qual', /mutabor a\.png webp --quality/],
] as const

/** What is typed in a shell, and what a press of Tab makes of it. */
async function completes(terminal: Terminal, name: string, start: string, setUp: readonly string[]) {
  const shell = await place(terminal, name)
  const [node = '', main = ''] = terminal.program
  await screen(shell, terminal.program, async ({ type, press, seen }) => {
    await type(start)
    await type(`function mutabor { '${node}' '${main}' "$@"; }`)
    for (const line of setUp) await type(line)
    await type('echo set "up"')
    await waitUntil(async () => (await seen()).includes('\nset up\n'), 'the shell is ready', 60)
    for (const [begun, whole] of typed) {
      await press(begun)
      await press('Tab')
      await waitUntil(async () => whole.test(await seen()), `${begun} is completed in ${name}`, 60)
      await press('C-u')
    }
  })
}

/** Completion as shells do it: by name, what they need and what is tried. */
export const shellCases: Readonly<
  Record<string, { readonly shell: string; readonly act: (terminal: Terminal) => Promise<void> }>
> = {
  'completes in bash': {
    shell: 'bash',
    act: (terminal) => completes(terminal, 'bash', 'bash --norc -i', ['source <(mutabor completion bash)']),
  },
  'completes in zsh, sourced': {
    shell: 'zsh',
    act: (terminal) =>
      completes(terminal, 'zsh', 'zsh -f', [
        'autoload -Uz compinit && compinit -u -D',
        'source <(mutabor completion zsh)',
      ]),
  },
  'completes in zsh, by a file of the fpath': {
    shell: 'zsh',
    act: (terminal) =>
      completes(terminal, 'zsh-fpath', 'zsh -f', [
        ': && mutabor completion zsh > _mutabor && fpath=($PWD $fpath)',
        'autoload -Uz compinit && compinit -u -D',
      ]),
  },
}
