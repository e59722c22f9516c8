import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** `newcommand` takes how many arguments there are, of which the first may have brackets around it, and a meaning. */
const same = (names: readonly string[], definition: string) =>
  names.map((name) => [name, definition] as const)

/** Commands of packages that hold words, which pandoc does not know and would leave out with them. */
const commands = [
  ...same(['fbox', 'hl', 'textls', 'alert', 'uline', 'uuline', 'uwave'], '[1]{#1}'),
  ...same(['centerline', 'leftline', 'rightline'], '[1]{#1}'),
  ...same(['scalebox', 'rotatebox', 'raisebox', 'colorbox'], '[2]{#2}'),
  ...same(['makebox', 'framebox'], '[2][]{#2}'),
  ...same(['resizebox'], '[3]{#3}'),
  ...same(['st'], '[1]{\\sout{#1}}'),
  ...same(['marginpar', 'marginnote', 'sidenote', 'todo', 'footnotetext'], '[2][]{\\footnote{#2}}'),
  ...same(['pageref', 'nameref', 'vref', 'fullref', 'subref'], '[1]{\\ref{#1}}'),
  // A line of its own, under the key that citations have.
  ...same(['bibitem'], '[2][]{\\par{[}#2{]} }'),
]

/** What stands behind the name of one would be read as words. */
const environments = [
  ...same(['thebibliography', 'multicols', 'adjustbox', 'spacing'], '[1]{}{}'),
  ...same(['wrapfigure', 'wraptable'], '[3][]{}{}'),
]

/** Whose words no reader of a page sees. */
const unseen = new Set([
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

/** The same text behind what these commands mean, where it does not say that itself; its lines keep their numbers. */
export async function withKnownCommands(input: InputFile, tools: Tools): Promise<InputFile> {
  const text = await readFile(input.path, 'utf8')
  const meanings = [
    ...commands
      .filter(([name]) => uses(text, name))
      .map(([name, meant]) => `\\newcommand{\\${name}}${meant}`),
    ...environments
      .filter(([name]) => text.includes(`\\begin{${name}}`))
      .map(([name, meant]) => `\\newenvironment{${name}}${meant}`),
  ]
  const path = join(tools.workDir, 'commands.tex')
  await writeFile(path, `${meanings.join('')}${text}`)
  return { ...input, path }
}

const uses = (text: string, name: string) =>
  text.includes(`\\${name}`) &&
  !new RegExp(`(?:command\\*?|Command|def)\\s*\\{?\\s*\\\\${name}\\b`).test(text)

/** A part that pandoc went over, as it says with `--verbose`. A text of many lines is one of its messages. */
const skipped = /^\[INFO\] Skipped '\\(.*(?:\n(?!\[).*)*)' at .*line (\d+) column (\d+)$/gm
const mostNames = 10

/** @param text of the document. */
export function tellSkipped(stderr: string, text: string, tools: Tools): void {
  const start = text.split(/\\begin\s*\{document\}/, 1)[0] ?? ''
  const firstLine = start.length === text.length ? 0 : start.split('\n').length
  const lost = new Map<string, string>()
  for (const [, part = '', line, column] of stderr.matchAll(skipped)) {
    const name = nameOf(part)
    // Where it goes back and reads again, it says the same twice.
    if (name && Number(line) >= firstLine) lost.set(`${line} ${column}`, name)
  }
  if (lost.size === 0) return
  const names = [...new Set(lost.values())]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} others` : ''
  const parts = lost.size === 1 ? 'A part was' : `${lost.size} parts were`
  tools.warn(
    'COMMANDS_DROPPED',
    `${parts} left out, with the words in them, as their commands of LaTeX are unknown: ${names.slice(0, mostNames).join(', ')}${more}.`,
  )
}

/** Where it has words of its own: `todo{Ask Ann}`, or `begin{tikzpicture}…\end{tikzpicture}`. */
function nameOf(part: string): string | undefined {
  const environment = /^begin\{(\w+)\*?\}[\s\S]*\\end\{/.exec(part)?.[1]
  if (environment) return environment
  const [, command = ''] = /^([A-Za-z@]+)\*?[^{]*\{[^}]*\p{L}/u.exec(part) ?? []
  return command === '' || unseen.has(command) || /^(begin|end)$/.test(command) ? undefined : `\\${command}`
}
