import { waitUntil } from '../wait-until.ts'
import { createShell, type InstalledCommand, withTmux } from './tmux-screen.ts'

const completions = [
  ['mutabor tool split-p', /mutabor tool split-pdf/],
  ['mutabor tea.md htm', /mutabor tea\.md html/],
  ['mutabor a.png webp --qual', /mutabor a\.png webp --quality/],
] as const

/** What is typed in a shell, and what a press of Tab makes of it. */
async function checkCompletion(
  terminal: InstalledCommand,
  name: string,
  startCommand: string,
  setUpLines: readonly string[],
) {
  const shell = await createShell(terminal, name)
  const [node = '', main = ''] = terminal.program
  await withTmux(shell, terminal.program, async ({ type, press, capture: seen }) => {
    await type(startCommand)
    await type(`function mutabor { '${node}' '${main}' "$@"; }`)
    for (const line of setUpLines) await type(line)
    await type('echo set "up"')
    await waitUntil(async () => (await seen()).includes('\nset up\n'), 'the shell is ready', 60)
    for (const [typed, expected] of completions) {
      await press(typed)
      await press('Tab')
      await waitUntil(async () => expected.test(await seen()), `${typed} is completed in ${name}`, 60)
      await press('C-u')
    }
  })
}

/** Completion as shells do it: by name, what they need and what is tried. */
export const completionCases: Readonly<
  Record<string, { readonly shell: string; readonly act: (terminal: InstalledCommand) => Promise<void> }>
> = {
  'completes in bash': {
    shell: 'bash',
    act: (terminal) =>
      checkCompletion(terminal, 'bash', 'bash --norc -i', ['source <(mutabor completion bash)']),
  },
  'completes in zsh, sourced': {
    shell: 'zsh',
    act: (terminal) =>
      checkCompletion(terminal, 'zsh', 'zsh -f', [
        'autoload -Uz compinit && compinit -u -D',
        'source <(mutabor completion zsh)',
      ]),
  },
  'completes in zsh, by a file of the fpath': {
    shell: 'zsh',
    act: (terminal) =>
      checkCompletion(terminal, 'zsh-fpath', 'zsh -f', [
        ': && mutabor completion zsh > _mutabor && fpath=($PWD $fpath)',
        'autoload -Uz compinit && compinit -u -D',
      ]),
  },
}
