import { join } from 'node:path'
import { toolOperations } from '../api-constants.ts'
import type { Format } from '../api-types.ts'
import { fetchOptions, getExtension } from './conversion-options.ts'
import { stateFolder } from './environment.ts'
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts'
import { commands } from './help.ts'
import { readJson, writeJson } from './json-files.ts'
import type { CommandSession } from './session.ts'

/**
 * Completion scripts. They call `mutabor complete -- WORD…`, where the last word is being typed. This command prints
 * candidates, one per line. If it prints nothing, the shell completes file names. The zsh script can be sourced, or
 * saved as `_mutabor` in the fpath, where zsh runs it as the completion function on the first call.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_mutabor() {
  local found; found=$(mutabor complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -o bashdefault -F _mutabor mutabor`,
  zsh: `#compdef mutabor
_mutabor() {
  local -a found; found=(\${(f)"$(mutabor complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)"})
  (( \${#found} )) && compadd -a found
  _files
}
if [[ \${funcstack[1]} == _mutabor ]]; then _mutabor "$@"; else compdef _mutabor mutabor; fi`,
  fish: `complete -c mutabor -a '(mutabor complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

/** Returns the output of `mutabor completion bash`, meant for `source <(mutabor completion bash)`. */
export function getCompletionScript(shell: string | undefined): string {
  const script = scripts[shell ?? '']
  if (!script)
    throw new UsageError(`Expected a shell (${Object.keys(scripts).join(', ')}), got ${shell ?? 'none'}.`)
  return script
}

export async function printCompletions(words: readonly string[], session: CommandSession): Promise<ExitCode> {
  // Shells evaluate candidates, so special characters in them could let a malicious service run commands.
  const matches = (await findCandidates(words, session)).filter((line) => /^[\w.-]+$/.test(line))
  for (const line of matches) session.terminal.result(line)
  return exitCodes.done
}

async function findCandidates(
  words: readonly string[],
  { client }: CommandSession,
): Promise<readonly string[]> {
  const typedWord = words.at(-1) ?? ''
  const previousWords = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  if (typedWord.startsWith('--')) {
    const [file, to] = [previousWords.at(-2), previousWords.at(-1)]
    const options = file && to ? await fetchOptions(client, { from: getExtension(file), to }) : []
    return [...(options ?? []).map(({ name }) => `--${name}`), '--out', '--json', '--force', '--help']
  }
  const names = Object.keys(commands)
  const [command] = previousWords
  if (command === undefined) return names.filter((name) => name.startsWith(typedWord))
  const filterByTypedWord = (words: readonly string[]) => words.filter((word) => word.startsWith(typedWord))
  if (command === 'tool') return previousWords.length === 1 ? filterByTypedWord(toolOperations) : []
  if (command === 'completion') return filterByTypedWord(Object.keys(scripts))
  const formats = await readFormats(client)
  if (command === 'formats' || command === 'options') return filterByTypedWord(formats.map(({ id }) => id))
  if (names.includes(command)) return []
  const source = formats.find(({ extensions }) =>
    extensions.includes(getExtension(previousWords.at(-1) ?? '')),
  )
  return filterByTypedWord(source?.targets ?? [])
}

/** Returns the formats. They are cached for a day, so that pressing Tab twice sends only one request. */
async function readFormats(client: CommandSession['client']): Promise<readonly Format[]> {
  const path = join(stateFolder, 'formats.json')
  const cachedFormats = (await readJson(path)) as { at: number; url: string; formats: Format[] } | undefined // written below
  if (cachedFormats && cachedFormats.url === client.url && Date.now() - cachedFormats.at < 86_400_000)
    return cachedFormats.formats
  const formats = await client.formats()
  await writeJson(path, { at: Date.now(), url: client.url, formats })
  return formats
}
