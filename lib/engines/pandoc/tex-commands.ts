import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/**
 * Assigns one `\newcommand` definition (argument count, optional default of the first argument, body) to many names.
 */
const define = (names: readonly string[], definition: string) =>
  names.map((name) => [name, definition] as const)

/** Package commands with text arguments that pandoc does not know and would drop together with the text. */
const commandDefinitions = [
  ...define(['fbox', 'hl', 'textls', 'alert', 'uline', 'uuline', 'uwave'], '[1]{#1}'),
  ...define(['centerline', 'leftline', 'rightline'], '[1]{#1}'),
  ...define(['scalebox', 'rotatebox', 'raisebox', 'colorbox'], '[2]{#2}'),
  ...define(['makebox', 'framebox'], '[2][]{#2}'),
  ...define(['resizebox'], '[3]{#3}'),
  ...define(['st'], '[1]{\\sout{#1}}'),
  ...define(['marginpar', 'marginnote', 'sidenote', 'todo', 'footnotetext'], '[2][]{\\footnote{#2}}'),
  ...define(['pageref', 'nameref', 'vref', 'fullref', 'subref'], '[1]{\\ref{#1}}'),
  // Turns each entry into a paragraph that starts with its citation key.
  ...define(['bibitem'], '[2][]{\\par{[}#2{]} }'),
]

/** Environments with arguments that would otherwise be read as text. */
const environmentDefinitions = [
  ...define(['thebibliography', 'multicols', 'adjustbox', 'spacing'], '[1]{}{}'),
  ...define(['wrapfigure', 'wraptable'], '[3][]{}{}'),
]

/** Commands whose arguments are not visible on the page. */
const invisibleCommands = new Set([
  ...[
    'vspace',
    'hspace',
    'setlength',
    'addtolength',
    'setcounter',
    'addtocounter',
    'pagestyle',
    'linespread',
  ],
  ...['thispagestyle', 'pagenumbering', 'bibliographystyle', 'index', 'glossary', 'hypersetup', 'markboth'],
  ...[
    'markright',
    'enlargethispage',
    'hyphenation',
    'captionsetup',
    'titleformat',
    'titlespacing',
    'fontsize',
  ],
  ...['selectfont', 'usefont', 'fontfamily', 'color', 'pagecolor', 'setstretch', 'addcontentsline', 'nocite'],
  ...['addtocontents', 'usetikzlibrary', 'definecolor', 'numberwithin', 'vphantom', 'hphantom', 'phantom'],
  ...['cline', 'cmidrule', 'columncolor', 'rowcolor', 'sisetup', 'lstset', 'newtheorem', 'theoremstyle'],
  ...[
    'graphicspath',
    'geometry',
    'bibliography',
    'addbibresource',
    'newenvironment',
    'pdfbookmark',
    'tikzset',
  ],
])

/**
 * Prepends definitions of known commands that the document uses but does not define. No lines are added, so that the
 * line numbers in pandoc's messages stay correct.
 */
export async function defineKnownCommands(input: InputFile, tools: Tools): Promise<InputFile> {
  const text = await readFile(input.path, 'utf8')
  const definitions = [
    ...commandDefinitions
      .filter(([name]) => usesCommand(text, name))
      .map(([name, definition]) => `\\newcommand{\\${name}}${definition}`),
    ...environmentDefinitions
      .filter(([name]) => text.includes(`\\begin{${name}}`))
      .map(([name, definition]) => `\\newenvironment{${name}}${definition}`),
  ]
  const path = join(tools.workDir, 'commands.tex')
  await writeFile(path, `${definitions.join('')}${text}`)
  return { ...input, path }
}

const usesCommand = (text: string, name: string) =>
  text.includes(`\\${name}`) &&
  !new RegExp(`(?:command\\*?|Command|def)\\s*(?:\\{\\s*)?\\\\${name}\\b`).test(text)

/** Matches a message of `--verbose` about skipped content, which can span several lines. */
const skippedMessagePattern = /^\[INFO\] Skipped '\\(.*(?:\n(?!\[).*)*)' at .*line (\d+) column (\d+)$/gm
const maxNames = 10

/** Warns about skipped commands. @param text source text of the document. */
export function warnAboutSkippedCommands(stderr: string, text: string, tools: Tools): void {
  const preamble = text.split(/\\begin\s*\{document\}/, 1)[0] ?? ''
  const firstLineNumber = preamble.length === text.length ? 0 : preamble.split('\n').length
  const droppedCommands = new Map<string, string>()
  for (const [, snippet = '', line, column] of stderr.matchAll(skippedMessagePattern)) {
    const name = findCommandWithText(snippet)
    // Pandoc repeats a message when its parser backtracks.
    if (name && Number(line) >= firstLineNumber) droppedCommands.set(`${line} ${column}`, name)
  }
  if (droppedCommands.size === 0) return
  const names = [...new Set(droppedCommands.values())]
  const moreNamesPhrase = names.length > maxNames ? ` and ${names.length - maxNames} others` : ''
  const subject = droppedCommands.size === 1 ? 'A part was' : `${droppedCommands.size} parts were`
  tools.warn(
    'COMMANDS_DROPPED',
    `${subject} left out with their text, because their LaTeX commands are unknown: ${names.slice(0, maxNames).join(', ')}${moreNamesPhrase}.`,
  )
}

/**
 * Returns the environment or command of a skipped snippet, or undefined if the snippet contains no text. The snippet
 * lacks its first backslash: `todo{Ask Ann}`, `begin{tikzpicture}…\end{tikzpicture}`.
 */
function findCommandWithText(snippet: string): string | undefined {
  const environment = /^begin\{(\w+)\*?\}[\s\S]*\\end\{/.exec(snippet)?.[1]
  if (environment) return environment
  const [, command = ''] = /^([A-Za-z@]{1,100})(?![A-Za-z@])\*?[^{]*\{[^}\p{L}]*\p{L}/u.exec(snippet) ?? []
  return command === '' || invisibleCommands.has(command) || /^(begin|end)$/.test(command)
    ? undefined
    : `\\${command}`
}
