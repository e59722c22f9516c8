import * as z from 'zod'
import { PrintOptions } from '../engines/chromium/paper.ts'
import { screenshotOptions } from '../engines/chromium/screenshot.ts'
import { toSnakeCase } from '../names/case-conversion.ts'
import { requestHeaders } from '../transfer/request-headers.ts'
import { createNamedValues } from '../validation/maxima.ts'

const captureTargets = ['pdf', 'png', 'jpg', 'webp'] as const

function describeOption(schema: z.ZodType): string {
  if (schema instanceof z.ZodDefault)
    return `${schema.description?.replace(/\.$/, '')}; ${schema.def.defaultValue} by default`
  // The cast is needed because zod declares a more general type for the inner schema.
  return (
    schema.description ??
    (schema instanceof z.ZodOptional ? describeOption(schema.unwrap() as z.ZodType) : '')
  )
}

/** Turns the browser's options into optional task fields in snake_case. The browser applies the defaults. */
function toOptionalFields(options: z.ZodObject): Record<string, z.ZodOptional> {
  // zod does not infer the type of the shape's values.
  const fields = Object.entries(options.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const hasDefault = schema instanceof z.ZodDefault
    const schemaWithoutDefault = (hasDefault ? schema.unwrap() : schema) as z.ZodType // all schemas here are zod types
    return [toSnakeCase(name), schemaWithoutDefault.optional().describe(describeOption(schema))] as const
  })
  return Object.fromEntries(fields)
}

const { width, height, ...imageFields } = toOptionalFields(screenshotOptions.jpg)
const pdfFields = toOptionalFields(PrintOptions)
const viewportFields = { width, height }

/** Selects the fields that belong to the options in `schema`. */
export function pickOptions(
  fields: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = fields[toSnakeCase(name)]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Cookies by name; RFC 6265, 4.1.1 defines the allowed characters. */
const cookies = createNamedValues(
  z.string().regex(/^[!#$%&'*+.^`|~\w-]{1,100}$/, 'expected the name of a cookie, of at most 100 characters'),
  z
    .string()
    .regex(
      /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}$/,
      'expected ASCII without spaces, quotes, commas and semicolons, of at most 4000 characters',
    ),
  50,
  'cookies',
)

const fields = {
  url: z
    .url({ protocol: /^https?$/ })
    .max(4096)
    .describe('URL of the website, reachable from the internet'),
  output_format: z
    .enum([...captureTargets, 'jpeg'])
    .default('pdf')
    .describe('Format of the result'),
  filename: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the result; by default derived from the URL'),
  headers: requestHeaders
    .optional()
    .describe('Request headers, such as `Authorization`; only sent to the host of the URL'),
  cookies: cookies.optional().describe('Cookies by name; only sent to the host of the URL'),
  wait_until: z
    .enum(['load', 'domcontentloaded', 'networkidle0', 'networkidle2'])
    .default('load')
    .describe(
      'When the page counts as ready: `load` when everything is loaded, `domcontentloaded` when the HTML is parsed, `networkidle0` (`networkidle2`) when no (at most two) network requests have been pending for half a second',
    ),
  wait_for_element: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('CSS selector of an element that must also exist before the page is captured'),
  wait_time: z.int().min(0).max(30_000).default(0).describe('Milliseconds to wait after the page is ready'),
  timeout: z.int().min(1).max(90).default(30).describe('Seconds within which the page must be ready'),
}

/** The field `scale` has a different meaning for PDFs and images. */
const scaleField = {
  scale: z
    .number()
    .min(0.1)
    .max(4)
    .optional()
    .describe('PDF: scale of the content, 0.1 to 2. Images: device pixels per CSS pixel, 0.5 to 4'),
}

/** The parsed fields, except for the options of the browser. */
export type CaptureFields = z.output<z.ZodObject<typeof fields>>

export const CaptureFields = z
  .strictObject({ ...fields, ...viewportFields, ...imageFields, ...pdfFields, ...scaleField })
  .superRefine((values: Readonly<Record<string, unknown>>, context) => {
    for (const [name, error] of findUnsupportedFields(values))
      context.addIssue({ code: 'custom', path: [name], message: error, input: values[name] })
  })

/** Finds fields that do not apply to the requested format. */
function findUnsupportedFields(values: Readonly<Record<string, unknown>>): [name: string, error: string][] {
  // The schema has already checked these fields.
  const { output_format: target, scale = 1 } = values as { output_format: string; scale?: number }
  const [allowedFields, otherFields] = target === 'pdf' ? [pdfFields, imageFields] : [imageFields, pdfFields]
  const names = Object.keys(otherFields).filter((name) => !(name in allowedFields))
  if (target === 'png') names.push('quality')
  const errors = names
    .filter((name) => values[name] !== undefined)
    .map((name): [string, string] => [name, `not supported for ${target}; leave it out`])
  const [min, max] = target === 'pdf' ? [0.1, 2] : [0.5, 4]
  if (scale < min || scale > max) errors.push(['scale', `expected a number from ${min} to ${max}`])
  return errors
}
