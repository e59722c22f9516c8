import { waitUntil } from '../support/wait-until.ts'
import { createShell, type InstalledCommand, withTmux } from './tmux-screen.ts'

const completions = [
  ['mutabor tool split-p', /mutabor tool split-pdf/],
  ['mutabor tea.md htm', /mutabor tea\.md html/],
  ['mutabor a.png webp --qual', /mutabor a\.png webp --quality/],
] as const

/** Types words in a shell and checks what Tab completes them to. */
async function checkCompletion(
  installedCommand: InstalledCommand,
  name: string,
  startCommand: string,
  setUpLines: readonly string[],
) {
  const shell = await createShell(installedCommand, name)
  const [node = '', main = ''] = installedCommand.program
  await withTmux(shell, installedCommand.program, async ({ type, press: pressKey, capture }) => {
    await type(startCommand)
    await type(`function mutabor { '${node}' '${main}' "$@"; }`)
    for (const line of setUpLines) await type(line)
    await type('echo set "up"')
    await waitUntil(async () => (await capture()).includes('\nset up\n'), 'the shell is ready', 60)
    for (const [typedLine, expectedWords] of completions) {
      await pressKey(typedLine)
      await pressKey('Tab')
      await waitUntil(
        async () => expectedWords.test(await capture()),
        `${typedLine} is completed in ${name}`,
        60,
      )
      await pressKey('C-u')
    }
  })
}

/** Cases of shell completion, by test name, with the shell that each needs. */
export const completionCases: Readonly<
  Record<string, { readonly shell: string; readonly act: (installed: InstalledCommand) => Promise<void> }>
> = {
  'completes words in bash': {
    shell: 'bash',
    act: (installed) =>
      checkCompletion(installed, 'bash', 'bash --norc -i', ['source <(mutabor completion bash)']),
  },
  'completes words in zsh with a sourced script': {
    shell: 'zsh',
    act: (installed) =>
      checkCompletion(installed, 'zsh', 'zsh -f', [
        'autoload -Uz compinit && compinit -u -D',
        'source <(mutabor completion zsh)',
      ]),
  },
  'completes words in zsh with a file in the fpath': {
    shell: 'zsh',
    act: (installed) =>
      checkCompletion(installed, 'zsh-fpath', 'zsh -f', [
        ': && mutabor completion zsh > _mutabor && fpath=($PWD $fpath)',
        'autoload -Uz compinit && compinit -u -D',
      ]),
  },
}
