import * as z from 'zod'
import { getOwnerLimits } from '../../lib/accounts/plan-limits.ts'
import { requirePublicAddresses } from '../../lib/conversion/check-tasks.ts'
import { readCombineImages, requireImage } from '../../lib/conversion/combine-images.ts'
import { Estimate, estimateConversion } from '../../lib/conversion/estimate.ts'
import { createExportTask } from '../../lib/conversion/remote-files.ts'
import { AppError } from '../../lib/errors.ts'
import { KnownLoss, listKnownLosses } from '../../lib/fidelity/known-loss.ts'
import { declaredSize } from '../../lib/http/body/content-length.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  collectOptions,
  combineImagesField,
  createMissingTargetError,
  targetFields,
} from '../../lib/http/conversion-request.ts'
import { Warning } from '../../lib/model/job.ts'
import { toolOperations } from '../../lib/model/operations.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { requireWorkerDisk } from '../../lib/plan/disk-limits.ts'
import { planRoute, type Route } from '../../lib/plan/index.ts'
import { requireConsistentOptions } from '../../lib/plan/option-rules.ts'
import { applyOptions, parseEngine } from '../../lib/plan/options.ts'
import { requireAutoPdfEngine } from '../../lib/plan/pdf-engine.ts'
import { parseTargetFormat, parseToolOperation } from '../../lib/plan/target-format.ts'
import { findPublicOperation, requireProcessOperation } from '../../lib/tasks/index.ts'
import type { ProcessOperation } from '../../lib/tasks/operation.ts'
import { createSizeLimitError } from '../../lib/uploads/size-errors.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { component } from '../../lib/validation/component.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'

const { tag: _tag, webhookUrl: _webhookUrl, filename: _filename, ...conversionFields } = targetFields

const Fields = component(
  'ConversionCheck',
  z
    .object({
      from: text('id').describe('Format of the file, such as `docx`, or a file extension'),
      ...conversionFields,
      toolOperation: text('id')
        .optional()
        .describe(
          `A tool instead of a conversion: ${toolOperations.join(', ')}; or another task operation such as \`merge\` or \`thumbnail\``,
        ),
      combineImages: combineImagesField,
      additionalFiles: integer(0, 1000)
        .optional()
        .describe('Number of additional files that will be sent, such as 1 for the image of a watermark'),
      size: declaredSize
        .optional()
        .describe('Size of the file in bytes, if known: checked against the limits of the conversion'),
    })
    .catchall(createJsonSchema()),
)

export const checkConversion = contract({
  method: 'POST',
  path: '/v1/convert/check',
  access: readAccess,
  tag: 'Conversion',
  summary: 'Check a conversion before sending the file',
  description:
    'Reports the errors of POST /v1/convert that do not depend on the content of the file. Otherwise returns the conversion steps, an estimate of the duration and the known losses of the conversion. Nothing is created, and the request does not count against daily limits.',
  body: { accepts: ['json', 'form'], schema: Fields },
  reply: {
    status: 200,
    schema: z.object({
      from: z.string(),
      to: z.string(),
      operation: z.string(),
      engines: z.array(z.string()),
      steps: z.array(z.object({ engine: z.string(), from: z.string(), to: z.string() })),
      estimate: Estimate,
      losses: z.array(KnownLoss).describe('What this conversion is known to lose'),
      warnings: z.array(Warning),
    }),
  },
  errors: [
    'INVALID_REQUEST',
    'INVALID_INPUT',
    'UNSUPPORTED_FORMAT',
    'UNSUPPORTED_CONVERSION',
    'FILE_TOO_LARGE',
    'URL_NOT_ALLOWED',
  ],
  handle: async ({ body, principal }, services) => {
    const options = collectOptions(body, Fields)
    const { from, to, task } = parseFields(body)
    const planLimits = await getOwnerLimits(principal.ownerId, services)
    if (body.size !== undefined && body.size > planLimits.maxFileBytes)
      throw createSizeLimitError(planLimits.maxFileBytes, body.size)
    requireAutoPdfEngine(options, planLimits.plan)
    const exportTask = createExportTask(body, [])
    if (exportTask) requirePublicAddresses(exportTask, services.config)
    // Each operation parses the fields itself, because some have additional ones.
    const spec = task.toConversionSpec(
      [],
      task.parseSpec({ output_format: to, engine: parseEngine(body.engine), options }),
    )
    const engines = await services.engines()
    const route = planRoute({ ...spec, from, to: spec.to ?? from, engines })
    requireWorkerDisk(route.steps[0].image, { size: body.size ?? 0, subject: 'The file has', engines })
    const { warnings } = applyOptions(route, spec.options)
    requireConsistentOptions({ ...spec, additionalFiles: body.additionalFiles ?? 0 })
    const routeFormats = getStepTargets(route)
    const kind = { operation: spec.operation, from, to: routeFormats.at(-1) ?? from }
    return {
      data: {
        ...kind,
        engines: [...new Set(route.steps.map(({ engine }) => engine))],
        steps: route.steps.map((step) => ({ engine: step.engine, from: step.from, to: step.to })),
        estimate: await estimateConversion({ ...kind, route, size: body.size, ownQueuedTasks: 0 }, services),
        losses: spec.operation === 'convert' ? listKnownLosses(from, routeFormats) : [],
        warnings,
      },
    }
  },
})

const getStepTargets = ({ steps }: Route) => steps.map(({ to }) => to)

/** @throws the same AppErrors as POST /v1/convert. */
function parseFields(body: z.infer<typeof Fields>) {
  const from = parseTargetFormat({ targetFormat: body.from }, 'from')
  if (!from)
    throw new AppError('INVALID_REQUEST', 'from is missing. Send the format of the file, such as docx.', {
      field: 'from',
    })
  const task = findTaskOperation(body.toolOperation)
  const to = parseTargetFormat(body)
  if (!to && !task) throw createMissingTargetError()
  const combinesImages = readCombineImages(body.combineImages, task?.name, to)
  if (combinesImages) requireImage(from, 'from')
  return { from, to, task: task ?? requireProcessOperation(combinesImages ? 'merge' : 'convert') }
}

/** Finds a processing operation of POST /v1/jobs by name, otherwise a tool. */
function findTaskOperation(name: string | undefined): ProcessOperation | undefined {
  const task = name ? findPublicOperation(name.toLowerCase()) : undefined
  if (task?.kind === 'process') return task
  const tool = parseToolOperation(name)
  return tool && requireProcessOperation(tool)
}
