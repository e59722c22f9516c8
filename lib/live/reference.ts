import type * as z from 'zod'
import { maxSockets } from './connections.ts'
import {
  clientFrames,
  closeReasons,
  JobFrame,
  maxBadFrames,
  pingIntervalMs,
  serverFrames,
  subprotocol,
} from './frames.ts'

/** Documentation of the WebSockets for users, generated from the schemas and tables that the code uses. */

const describeFields = ({ shape }: z.ZodObject): string =>
  Object.entries(shape)
    .filter(([name]) => name !== 'type')
    .map(([name, { description }]) => `\`${name}\`${description ? ` (${description})` : ''}`)
    .join(', ')

const describeFrames = (frames: Readonly<Record<string, z.ZodObject>>): string =>
  Object.entries(frames)
    .map(([type, schema]) => {
      const text = schema.description ? ` ${schema.description}.`.replace('..', '.') : ''
      const fields = describeFields(schema)
      return `- \`${type}\`:${text}${fields ? ` Fields: ${fields}.` : ''}`
    })
    .join('\n')

/** List of the close codes in Markdown. */
export const closeCodeList = Object.values(closeReasons)
  .map(({ code, description }) => `- ${code}: ${description}`)
  .join('\n')

/** Text of the reference page in CommonMark. */
export const liveReference = `Receive job updates without polling, over WebSocket or server-sent events.

**\`/ws/user/jobs\`**, also \`/v1/ws/user/jobs\`, sends all events of your jobs. Authenticate with the cookie (on pages of the service itself), with \`Authorization: Bearer …\` and your \`X-Owner-Token\`, with the subprotocols \`${subprotocol}, bearer.…\` if you cannot set headers, with \`?ticket=…\` from \`POST /v1/ws/tickets\`, or with a first frame \`{"type":"auth","token":"…"}\` within 10 s. Wait for \`hello\` before you send anything else. Frames are JSON; \`type\` is their kind.

The service sends:

${describeFrames(serverFrames)}

You send:

${describeFrames(clientFrames)}

Remember the highest \`seq\` you received. After a lost connection, connect again, wait for \`hello\` and send \`resume\` with it: you get exactly the events you missed, possibly after newer ones. Events are stored for three hours after the last connection started; after that, the reply is an \`error\` \`SEQUENCE_GONE\` and a \`snapshot\`. A frame may be repeated with the same \`seq\`, and an event with the same \`id\` is the same event. Events of one job are ordered by \`sequence\`; \`job.progress\` never decreases. Send \`ping\` every ${pingIntervalMs / 1000} s: idle connections are closed after 10 min, all connections after two hours.

**\`/v1/ws/jobs/{jobId}\`** reports one job, without authentication and without subscribing: first its current state, then each change as \`{${Object.keys(JobFrame.shape).join(', ')}}\`. It closes with 1000 when the job is finished, and responds with 404 for an unknown job.

Close codes; an \`error\` frame with \`closeCode\` is sent first, because API Gateway itself closes with 1000 instead of the codes from 1008 on:

${closeCodeList}

One identity can have at most ${maxSockets} connections, and so can one job; after ${maxBadFrames} invalid frames the connection is closed.`
