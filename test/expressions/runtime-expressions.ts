// Verdicts on expressions that are built while the service runs. Expressions that a module builds when it is loaded are
// found by loading the module. The expressions below need values, and are tested with the most general or the most
// repetitive values that can occur.

const docbookNames = 'info|(?:article|book|chapter|appendix|part|preface|section|sect[1-5]|set)info'
const docbookElement = (name: string) =>
  `<(${name})\\b[^<>]*>([^<]*(?:<(?!/?(?:${name})\\b)[^<]*)*)</\\1\\s*>`

interface Verdict {
  readonly path: string
  /** Part of the call that distinguishes it from others in the file. */
  readonly call: string
  /** Why its input cannot be long or hostile. */
  readonly reasonItIsSafe?: string
  /** Expressions that the call can build. */
  readonly samples?: readonly string[]
  readonly flags?: string
}

export const verdicts: readonly Verdict[] = [
  {
    path: 'functions/web/options/option-values.ts',
    call: 'option.pattern',
    reasonItIsSafe: 'typed into the page',
  },
  { path: 'lib/client/command/inputs.ts', call: 'source}', reasonItIsSafe: 'names of local files' },
  { path: 'lib/deployment/bundle.ts', call: 'node_modules', reasonItIsSafe: 'paths of a build' },
  { path: 'lib/deployment/check/project-rules.ts', call: 'liveAlias', reasonItIsSafe: 'our own template' },
  { path: 'lib/deployment/common-job.ts', call: 'image}', reasonItIsSafe: 'our own README' },
  { path: 'lib/deployment/cost.ts', call: '<!-- ', reasonItIsSafe: 'our own README' },
  {
    path: 'lib/embedded-aws/events/request-params.ts',
    call: 'pattern}',
    reasonItIsSafe: 'values whose length AWS limits to a few hundred characters',
  },
  {
    path: 'lib/embedded-aws/sigv4-claim.ts',
    call: 'name}=',
    samples: ['(?:^|[,\\s])SignedHeaders=([^,\\s]+)', '(?:^|[,\\s])Credential=([^,\\s]+)'],
  },
  {
    path: 'lib/engines/chromium/ebook-page.ts',
    call: '\\\\s*=',
    samples: ['\\bwidth\\s*=\\s*(\\d{2,5})', '\\bheight\\s*=\\s*(\\d{2,5})'],
  },
  {
    path: 'lib/engines/pandoc/docbook-info.ts',
    call: '</\\\\1',
    samples: [docbookElement(docbookNames), docbookElement('abstract|legalnotice')],
    flags: 'g',
  },
  {
    path: 'lib/engines/pandoc/input-fixes.ts',
    call: 'name}\\\\s*=',
    samples: ['\\sidref\\s*=\\s*["\']([^"\']*)["\']'],
  },
  {
    path: 'lib/engines/pandoc/tex-commands.ts',
    call: 'Command|def',
    samples: ['(?:command\\*?|Command|def)\\s*(?:\\{\\s*)?\\\\begin\\b'],
  },
  {
    path: 'lib/engines/pdf/open-pdf.ts',
    call: 'name}:',
    samples: ['^title:[ \\t]+(\\S.*)$'],
    flags: 'im',
  },
  {
    path: 'lib/engines/pdf/tools/redact.ts',
    call: 'terms.map',
    samples: ['aa\\s+aa|a\\s+a', 'a\\s+b\\s+a'],
    flags: 'giu',
  },
  {
    path: 'lib/engines/pdf/tools/redact.ts',
    call: 'toTermPattern(term)',
    samples: ['a\\s+a\\s+b'],
    flags: 'iu',
  },
  { path: 'lib/engines/vips/decoders.ts', call: 'name}-', reasonItIsSafe: 'names that we choose' },
  {
    path: 'lib/fidelity/text/count-elements.ts',
    call: 'names.join',
    samples: ['<(?:img|a|table|input|select|textarea)(?=[\\s/>])', '<(?:a:blip)(?=[\\s/>])'],
    flags: 'gi',
  },
  {
    path: 'lib/fidelity/office/xlsx-visible-cells.ts',
    call: 'name}\\\\s*=',
    samples: ['\\smin\\s*=\\s*["\'](\\d+)["\']'],
  },
  { path: 'lib/ids.ts', call: 'prefix}', samples: ['^job_[0-9A-HJKMNP-TV-Z]{26}$'] },
  {
    path: 'lib/local/runtime/remove-leftover-folders.ts',
    call: 'pid}',
    reasonItIsSafe: 'names of local folders',
  },
]
