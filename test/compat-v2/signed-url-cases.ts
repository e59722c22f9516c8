import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type AnyJson, type CompatCases, type CompatService, createSender } from './sdk.ts'

const createTasks = (file: string, output_format = 'html') => ({
  text: { operation: 'import/raw', file, filename: 'hi.md' },
  page: { operation: 'convert', input: 'text', output_format },
  link: { operation: 'export/url', input: 'page', inline: true },
})

const getSigningSettings = async (compatService: CompatService) =>
  (await createSender(compatService)('GET', '/v2/signed-urls')).body.data as {
    base: string
    signing_secret: string
  }

const createSignedUrl = (
  { sdk }: CompatService,
  { base, secret }: { base: string; secret: string },
  job: object,
  cacheKey = '',
) => sdk.signedUrls.sign(base, secret, job as never, cacheKey)

const listJobsWithTag = async (compatService: CompatService, tag: string) =>
  (await createSender(compatService)('GET', `/v2/jobs?filter[tag]=${tag}`)).body.data as AnyJson[]

export const signedUrlCases: CompatCases = {
  'a URL signed by the SDK redirects to the file, and with a cache key creates one job': async (
    compatService,
  ) => {
    const { base, signing_secret: secret } = await getSigningSettings(compatService)
    const url = createSignedUrl(compatService, { base, secret }, { tasks: createTasks('# Signed >>>???') })
    const page = await fetch(url)
    assert.equal(page.status, 200, await page.clone().text())
    assert.match(await page.text(), /Signed/)

    const cachedUrl = createSignedUrl(
      compatService,
      { base, secret },
      { tag: 'kept', tasks: createTasks('# Kept') },
      'my_key-1',
    )
    const bothResponses = await Promise.all([fetch(cachedUrl), fetch(cachedUrl)])
    for (const cachedResponse of bothResponses) assert.match(await cachedResponse.text(), /Kept/)
    assert.match(await (await fetch(cachedUrl)).text(), /Kept/)
    const [job, ...otherJobs] = await listJobsWithTag(compatService, 'kept')
    assert.deepEqual(otherJobs, [])
    // A deleted job is created again.
    await compatService.sdk.jobs.delete(job.id)
    assert.match(await (await fetch(cachedUrl)).text(), /Kept/)
    assert.equal((await listJobsWithTag(compatService, 'kept')).length, 1)
  },
  'an unsigned URL and one with a wrong signature create no job': async (compatService) => {
    const { base, signing_secret: secret } = await getSigningSettings(compatService)
    const sign = (job: object, by = secret) => createSignedUrl(compatService, { base, secret: by }, job)
    const validUrl = sign({ tag: 'forged', tasks: createTasks('# No') })
    const otherUrl = sign({ tag: 'forged', tasks: createTasks('# Other') })
    const wrongUrls = [
      validUrl.replace(/&s=.*/, ''),
      validUrl.replace(/&s=.*/, '&s=00'),
      validUrl.replace(/&s=.*/, /&s=.*/.exec(otherUrl)?.[0] ?? ''),
      validUrl.replace('&s=', '&cache_key=x&s='),
      validUrl.replace(base, `${base}x`),
      sign({ tag: 'forged', tasks: createTasks('# No') }, 'another secret'),
    ]
    for (const url of wrongUrls) assert.ok([401, 422].includes((await fetch(url)).status), url)
    assert.deepEqual(await listJobsWithTag(compatService, 'forged'), [])

    const text = `${base}?job=${Buffer.from('no JSON').toString('base64url')}`
    const invalidJsonResponse = await fetch(
      `${text}&s=${createHmac('sha256', secret).update(text).digest('hex')}`,
    )
    assert.equal(invalidJsonResponse.status, 422)
    const { text: importTask } = createTasks('# No export')
    const refusedResponse = await fetch(sign({ tasks: { text: importTask } }))
    assert.deepEqual(
      [refusedResponse.status, Object.keys(((await refusedResponse.json()) as AnyJson).errors)],
      [422, ['tasks']],
    )
  },
  'a failed job of a signed URL reports the reason': async (compatService) => {
    const { base, signing_secret: secret } = await getSigningSettings(compatService)
    const it = { operation: 'import/url', url: 'http://192.0.2.1/a.png' }
    const url = createSignedUrl(
      compatService,
      { base, secret },
      { tasks: { it, out: { operation: 'export/url', input: 'it' } } },
    )
    const failedResponse = await fetch(url)
    assert.equal(failedResponse.ok, false)
    const { message, code } = (await failedResponse.json()) as AnyJson
    assert.deepEqual([typeof message, typeof code], ['string', 'string'])
  },
  'the wait URL of a signed URL is valid for that job only': async (compatService) => {
    const { base, signing_secret: secret } = await getSigningSettings(compatService)
    const getWaitUrl = async (title: string) => {
      const url = createSignedUrl(compatService, { base, secret }, { tasks: createTasks(title) })
      return (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
    }
    const [one, otherUrl] = [
      new URL(await getWaitUrl('# One'), compatService.url),
      new URL(await getWaitUrl('# Two'), compatService.url),
    ]
    const mixedUrl = new URL(one)
    mixedUrl.search = otherUrl.search
    assert.equal((await fetch(mixedUrl)).status, 401)
    assert.equal((await fetch(`${one.origin}${one.pathname}?until=end`)).status, 401)
    // A file link has the same signing key and can have a download limit.
    const file = (await fetch(one, { redirect: 'manual' })).headers.get('location') ?? ''
    const link = new URL(one)
    link.search = new URL(file).search
    assert.equal((await fetch(link)).status, 422)
  },
}
