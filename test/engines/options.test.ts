import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { engines } from '../../lib/engines/index.ts'
import { isSecretOption, secretOption, secretOptionNames } from '../../lib/engines/options.ts'
import { toSnakeCase } from '../../lib/names/case-conversion.ts'

describe('secret options', () => {
  const options = engines.flatMap(({ capabilities }) =>
    capabilities.flatMap(({ operation, options: { shape } }) =>
      // The shape of an object schema contains schemas.
      Object.entries(shape).map(([name, schema]) => ({ operation, name, schema: schema as z.ZodType })),
    ),
  )

  test('password options are marked as secret in every capability, and no other options are', () => {
    const passwords = options.filter(({ name }) => /password/i.test(name))
    assert.ok(passwords.length > 30)
    for (const { operation, name, schema } of passwords)
      assert.ok(isSecretOption(schema), `${operation}: ${name}`)
    for (const { operation, name, schema } of options)
      assert.equal(isSecretOption(schema), /password/i.test(name), `${operation}: ${name}`)
  })

  test('secretOptionNames contains each secret option in camelCase and in snake_case', () => {
    const names = options.filter(({ schema }) => isSecretOption(schema)).map(({ name }) => name)
    assert.deepEqual(
      [...secretOptionNames].toSorted(),
      [...new Set(names.flatMap((name) => [name, toSnakeCase(name)]))].toSorted(),
    )
  })

  test('marking an option as secret keeps the description of the option', () => {
    assert.equal(z.string().optional().describe('Opens it.').meta(secretOption).description, 'Opens it.')
    assert.equal(isSecretOption(z.string().meta(secretOption).optional()), false)
  })
})
