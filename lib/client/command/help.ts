import { formatColumns } from './terminal.ts'

/** Usage and description of each command. */
export const commands: Readonly<Record<string, readonly [usage: string, summary: string]>> = {
  convert: ['FILE… FORMAT', 'convert files, globs and folders; the word `convert` is optional'],
  merge: ['FILE… [--out both.pdf]', 'merge files into one'],
  tool: ['NAME FILE… [--pages 1-5]', 'run a PDF tool (split-pdf, ocr-pdf, encrypt-pdf, …) or compress'],
  watch: ['FOLDER --to FORMAT', 'convert new files in a folder'],
  formats: [
    '[FORMAT | WORDS]',
    'list the formats, search them (excel), or show what one can be converted to',
  ],
  options: ['FROM TO | TOOL', 'list the options of a conversion or a tool'],
  jobs: ['[JOB]', 'list your jobs, or show one'],
  login: ['[KEY]', 'store an API key'],
  logout: ['', 'delete the stored API key'],
  doctor: ['', 'check the connection and the setup'],
  mcp: ['[--http PORT] [--root FOLDER]', 'serve agents with the Model Context Protocol'],
  completion: ['bash|zsh|fish', 'print the completion script of a shell'],
}

export const getHelpText = (): string =>
  [
    'mutabor report.docx pdf                  one file',
    "mutabor 'scans/**/*.png' webp --out web  many files, keeping their folders",
    'mutabor photos jpg --quality 80          a folder, each result next to its source',
    'mutabor - webp --from png < a.png > b    stdin to stdout',
    '',
    ...formatColumns(
      Object.entries(commands).map(([name, [usage, description]]) => [`mutabor ${name}`, usage, description]),
    ),
    '',
    ...formatColumns([
      ['-o, --out PLACE', 'output file or folder; default: the folder of the source'],
      ['-f, --force', 'convert again, and replace files that mutabor did not create'],
      ['-j, --jobs N', 'files converted at a time; default: 8'],
      ['--from FORMAT', 'format of stdin'],
      ['--json', 'print a line of JSON for each result'],
      ['-q, --quiet', 'hide progress'],
      [
        '--url ADDRESS',
        'URL of the service; default: MUTABOR_URL, the URL stored by login, or http://localhost:8080',
      ],
      ['--local', 'start a service for this command if none responds'],
      ['-h, --help', 'with a file and a format: list the options of that conversion'],
    ]),
    '',
    'Everything else that starts with -- is a conversion option: mutabor help png webp lists them.',
    'To resume an interrupted command, run it again. MUTABOR_API_KEY is sent with each request.',
    'Exit codes: 0 done, 1 failed, 2 usage error, 3 service unreachable, 4 some files failed, 130 interrupted.',
  ].join('\n')
