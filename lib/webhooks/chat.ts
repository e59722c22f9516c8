/** Renders events as chat messages for people: as blocks or as embeds, the two formats of chat platforms. */

type EventFields = Readonly<Record<string, unknown>>

interface ChatMessage {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly link: string | undefined
  readonly tone: 'good' | 'bad' | 'plain'
  readonly timestamp: string
}

/** Titles of events. Other events are shown by their name. */
const titleByEvent: Readonly<Record<string, string>> = {
  'job.created': 'Job created',
  'job.queued': 'Job queued',
  'job.started': 'Job started',
  'job.progress': 'Job in progress',
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'job.cancelled': 'Job cancelled',
  'job.expired': 'Job expired',
  'file.uploaded': 'File uploaded',
  'file.downloaded': 'File downloaded',
  'file.deleted': 'File deleted',
  'subscription.created': 'Plan started',
  'subscription.updated': 'Plan changed',
  'subscription.cancelled': 'Plan ended',
  'quota.warning': 'Quota almost used up',
  'quota.exceeded': 'Quota used up',
}

const toneByEvent: Readonly<Record<string, ChatMessage['tone']>> = {
  'job.completed': 'good',
  'job.failed': 'bad',
  'quota.exceeded': 'bad',
}

/** Maximum lengths in characters, below the limits of the platforms. */
const maxLengths = { title: 140, value: 500 }

const isObject = (value: unknown): value is EventFields => typeof value === 'object' && value !== null
/**
 * Returns the link to the result of a job from an event: the link of its export, otherwise the link of its first file.
 */
function findResultLink({ tasks, files }: EventFields): string | undefined {
  const exportResults = isObject(tasks)
    ? Object.values(tasks).flatMap((task) => (isObject(task) ? task['result'] : []))
    : []
  const [firstResult] = [...exportResults, ...(Array.isArray(files) ? files : [])].filter(isObject)
  return firstResult?.['url'] as string | undefined // both schemas have the field
}
const truncate = (value: string, length: number) =>
  value.length > length ? `${value.slice(0, length - 1)}…` : value

function createMessage(event: EventFields): ChatMessage {
  const name = String(event['event'])
  const [subject = {}] = [event['job'], event['file'], event['quota'], event['subscription']].filter(isObject)
  const source = isObject(subject['source']) ? subject['source'] : {}
  const target = isObject(subject['target']) ? subject['target'] : {}
  const error = isObject(subject['error']) ? subject['error'] : {}
  const progress = isObject(subject['progress']) ? subject['progress'] : {}
  const jobId = isObject(event['job']) ? event['job']['id'] : subject['jobId']
  const { durationMs } = subject
  const eventFacts: [string, unknown][] = [
    ['File', source['filename'] ?? subject['filename']],
    ['To', target['format']],
    ['Progress', progress['percent'] === undefined ? undefined : `${progress['percent']} %`],
    ['Took', typeof durationMs === 'number' ? `${(durationMs / 1000).toFixed(1)} s` : undefined],
    ['Error', error['message']],
    ['Tag', subject['tag']],
    ['Quota', event['quota'] === undefined ? undefined : subject['name']],
    ['Plan', subject['plan']],
    ['Job', jobId],
  ]
  return {
    title: truncate(titleByEvent[name] ?? name, maxLengths.title),
    facts: eventFacts.flatMap(([label, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[label, truncate(String(value), maxLengths.value)]],
    ),
    link: name === 'job.completed' ? findResultLink(subject) : undefined,
    tone: toneByEvent[name] ?? 'plain',
    timestamp: String(event['timestamp']),
  }
}

/** Escapes markup characters, because filenames are untrusted. */
const escapeForBlocks = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function createChatBlocks(event: EventFields) {
  const { title, facts, link, timestamp } = createMessage(event)
  const [firstFact] = facts
  return {
    text: escapeForBlocks(firstFact ? `${title}: ${firstFact[1]}` : title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title } },
      {
        type: 'section',
        // Facts are split into sections, because a section has at most ten fields.
        fields: facts
          .slice(0, 10)
          .map(([name, value]) => ({ type: 'plain_text', text: `${name}: ${value}` })),
      },
      ...(link ? [{ type: 'section', text: { type: 'mrkdwn', text: `<${link}|Download the result>` } }] : []),
      { type: 'context', elements: [{ type: 'plain_text', text: timestamp }] },
    ],
  }
}

const colors = { good: 0x2e7d32, bad: 0xc62828, plain: 0x546e7a } as const

/** Escapes Markdown characters. */
const escapeForEmbed = (text: string) => text.replace(/[\\`*_~|>[\]()#@<]/g, String.raw`\$&`)

export function createChatEmbed(event: EventFields) {
  const { title, facts, link, tone, timestamp } = createMessage(event)
  return {
    embeds: [
      {
        title,
        ...(link && { url: link }),
        color: colors[tone],
        timestamp,
        fields: facts.map(([name, value]) => ({
          name,
          value: escapeForEmbed(value),
          inline: value.length < 40,
        })),
      },
    ],
    // A file named @everyone must not notify anyone.
    allowed_mentions: { parse: [] },
  }
}
