import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { asking, type Cases, type CompatService, type Loose } from './sdk.ts'

const tasks = (file: string, output_format = 'html') => ({
  text: { operation: 'import/raw', file, filename: 'hi.md' },
  page: { operation: 'convert', input: 'text', output_format },
  link: { operation: 'export/url', input: 'page', inline: true },
})

const baseOf = async (facade: CompatService) =>
  (await asking(facade)('GET', '/v2/signed-urls')).body.data as { base: string; signing_secret: string }

const signed = (
  { sdk }: CompatService,
  { base, secret }: { base: string; secret: string },
  job: object,
  cacheKey = '',
) => sdk.signedUrls.sign(base, secret, job as never, cacheKey)

const jobsTagged = async (facade: CompatService, tag: string) =>
  (await asking(facade)('GET', `/v2/jobs?filter[tag]=${tag}`)).body.data as Loose[]

export const signedUrlCases: Cases = {
  'a URL signed by the SDK redirects to the file, and with a cache key creates one job': async (facade) => {
    const { base, signing_secret: secret } = await baseOf(facade)
    const url = signed(facade, { base, secret }, { tasks: tasks('# Signed >>>???') })
    const page = await fetch(url)
    assert.equal(page.status, 200, await page.clone().text())
    assert.match(await page.text(), /Signed/)

    const kept = signed(facade, { base, secret }, { tag: 'kept', tasks: tasks('# Kept') }, 'my_key-1')
    const both = await Promise.all([fetch(kept), fetch(kept)])
    for (const one of both) assert.match(await one.text(), /Kept/)
    assert.match(await (await fetch(kept)).text(), /Kept/)
    const [only, ...others] = await jobsTagged(facade, 'kept')
    assert.deepEqual(others, [])
    // A deleted job is created again.
    await facade.sdk.jobs.delete(only.id)
    assert.match(await (await fetch(kept)).text(), /Kept/)
    assert.equal((await jobsTagged(facade, 'kept')).length, 1)
  },
  'an unsigned URL and one with a wrong signature create no job': async (facade) => {
    const { base, signing_secret: secret } = await baseOf(facade)
    const sign = (job: object, by = secret) => signed(facade, { base, secret: by }, job)
    const good = sign({ tag: 'forged', tasks: tasks('# No') })
    const other = sign({ tag: 'forged', tasks: tasks('# Other') })
    const wrong = [
      good.replace(/&s=.*/, ''),
      good.replace(/&s=.*/, '&s=00'),
      good.replace(/&s=.*/, /&s=.*/.exec(other)?.[0] ?? ''),
      good.replace('&s=', '&cache_key=x&s='),
      good.replace(base, `${base}x`),
      sign({ tag: 'forged', tasks: tasks('# No') }, 'another secret'),
    ]
    for (const url of wrong) assert.ok([401, 422].includes((await fetch(url)).status), url)
    assert.deepEqual(await jobsTagged(facade, 'forged'), [])

    const text = `${base}?job=${Buffer.from('no JSON').toString('base64url')}`
    const noJson = await fetch(`${text}&s=${createHmac('sha256', secret).update(text).digest('hex')}`)
    assert.equal(noJson.status, 422)
    const { text: only } = tasks('# No export')
    const refused = await fetch(sign({ tasks: { text: only } }))
    assert.deepEqual(
      [refused.status, Object.keys(((await refused.json()) as Loose).errors)],
      [422, ['tasks']],
    )
  },
  'a failed job of a signed URL reports the reason': async (facade) => {
    const { base, signing_secret: secret } = await baseOf(facade)
    const it = { operation: 'import/url', url: 'http://192.0.2.1/a.png' }
    const url = signed(
      facade,
      { base, secret },
      { tasks: { it, out: { operation: 'export/url', input: 'it' } } },
    )
    const failed = await fetch(url)
    assert.equal(failed.ok, false)
    const { message, code } = (await failed.json()) as Loose
    assert.deepEqual([typeof message, typeof code], ['string', 'string'])
  },
  'the wait URL of a signed URL is valid for that job only': async (facade) => {
    const { base, signing_secret: secret } = await baseOf(facade)
    const place = async (title: string) => {
      const url = signed(facade, { base, secret }, { tasks: tasks(title) })
      return (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
    }
    const [one, other] = [
      new URL(await place('# One'), facade.url),
      new URL(await place('# Two'), facade.url),
    ]
    const mixed = new URL(one)
    mixed.search = other.search
    assert.equal((await fetch(mixed)).status, 401)
    assert.equal((await fetch(`${one.origin}${one.pathname}?until=end`)).status, 401)
    // A file link has the same signing key and can have a download limit.
    const file = (await fetch(one, { redirect: 'manual' })).headers.get('location') ?? ''
    const link = new URL(one)
    link.search = new URL(file).search
    assert.equal((await fetch(link)).status, 422)
  },
}
