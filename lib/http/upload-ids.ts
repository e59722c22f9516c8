import * as z from 'zod'

/** Ids of uploads: an array, or in a form the same as JSON or with commas between. */
export const uploadIds = z.preprocess(
  (value) => (typeof value === 'string' ? fromText(value) : value),
  z.array(z.string().min(1).max(64)).max(100),
)

function fromText(text: string): unknown {
  if (!text.trimStart().startsWith('['))
    return text
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
