import { formatColumns } from './terminal.ts'

/** What each command is for, and how it is called. */
export const commands: Readonly<Record<string, readonly [usage: string, says: string]>> = {
  convert: ['FILE… FORMAT', 'convert files, globs and folders; `convert` itself may be left out'],
  merge: ['FILE… [--out both.pdf]', 'files become one'],
  tool: ['NAME FILE… [--pages 1-5]', 'a PDF tool: split-pdf, ocr-pdf, encrypt-pdf, …, or compress'],
  watch: ['FOLDER --to FORMAT', 'convert whatever arrives in a folder'],
  formats: ['[FORMAT]', 'what can be converted, and what becomes of a format'],
  options: ['FROM TO | TOOL', 'options of a pair or a tool'],
  jobs: ['[JOB]', 'your jobs, or one of them'],
  login: ['[KEY]', 'keep an API key'],
  logout: ['', 'forget it'],
  doctor: ['', 'what stands between here and a converted file'],
  mcp: ['[--http PORT] [--root FOLDER]', 'serve agents by the Model Context Protocol'],
  completion: ['bash|zsh|fish', 'completion of a shell'],
}

export const helpText = (): string =>
  [
    'mutabor report.docx pdf                  one file',
    "mutabor 'scans/**/*.png' webp --out web  many files, with their folders",
    'mutabor photos jpg --quality 80          a folder, each result beside its source',
    'mutabor - webp --from png < a.png > b    stdin to stdout',
    '',
    ...formatColumns(
      Object.entries(commands).map(([name, [usage, description]]) => [`mutabor ${name}`, usage, description]),
    ),
    '',
    ...formatColumns([
      ['-o, --out PLACE', 'file or folder of the result; beside the source when left out'],
      ['-f, --force', 'do it again, and replace files that are not from here'],
      ['-j, --jobs N', 'files at a time, 8 when left out'],
      ['--from FORMAT', 'what comes from stdin'],
      ['--json', 'a line of JSON for each result'],
      ['-q, --quiet', 'no progress'],
      ['--url ADDRESS', 'the service; MUTABOR_URL, then that of login, then http://localhost:8080'],
      ['--local', 'start a service for this command when none answers'],
      ['-h, --help', 'with a file and a format: the options of that pair'],
    ]),
    '',
    'Everything else that begins with -- is an option of the conversion: mutabor help png webp lists them.',
    'A command that was interrupted goes on when it is called again. MUTABOR_API_KEY is sent with each request.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 service unreachable, 4 partly done.',
  ].join('\n')
