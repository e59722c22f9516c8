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

/** How to use the sockets, for people: made of the schemas and tables that the code obeys. */

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

/** As Markdown. */
export const closeCodeList = Object.values(closeReasons)
  .map(({ code, description }) => `- ${code}: ${description}`)
  .join('\n')

/** CommonMark, as the reference page shows it. */
export const liveReference = `Hear of jobs without asking, by WebSocket or by server-sent events.

**\`/ws/user/jobs\`**, also \`/v1/ws/user/jobs\`, tells of all that happens to your jobs. Say who you are by the cookie (from pages of the service itself), by \`Authorization: Bearer …\` with your \`X-Owner-Token\`, by the subprotocols \`${subprotocol}, bearer.…\` where you can set no header, by \`?ticket=…\` from \`POST /v1/ws/tickets\`, or by a first frame \`{"type":"auth","token":"…"}\` within 10 s. Wait for \`hello\` before you send anything else. Frames are JSON, their kind is \`type\`.

The service sends:

${describeFrames(serverFrames)}

You send:

${describeFrames(clientFrames)}

Keep the highest \`seq\` that you have had. After a cut connect again, wait for \`hello\` and send \`resume\` with it: you get exactly what you have missed, be it after events that came meanwhile. Events are kept for three hours after the last connection began; later the answer is an \`error\` \`SEQUENCE_GONE\` and a \`snapshot\`. A frame may come again under the same \`seq\`, and an event is the same under the same \`id\`. Events of one job are ordered by \`sequence\`; \`job.progress\` never falls. Send \`ping\` each ${pingIntervalMs / 1000} s: silent connections are closed after 10 min, all after two hours.

**\`/v1/ws/jobs/{jobId}\`** tells how one job is, without any identity and without being asked: first how it is now, then each change as \`{${Object.keys(JobFrame.shape).join(', ')}}\`. It closes with 1000 when the job is over, and answers 404 for a job that there is not.

Why a connection is closed; an \`error\` frame with \`closeCode\` says it before, as API Gateway itself closes with 1000 in place of the codes from 1008 on:

${closeCodeList}

One identity has at most ${maxSockets} connections, and so has one job; ${maxBadFrames} frames that cannot be understood are too many.`
