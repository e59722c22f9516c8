import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec'
import type { PropertyType, ResourceProperties, SpecDatabase } from '@aws-cdk/service-spec-types'
import { isIntrinsic, isRecord, type Template, type TemplateFinding } from './template.ts'

/**
 * Checks each value against AWS's resource specification. The specification has no rules that concern several
 * properties.
 */
export function checkSpecification({ Resources }: Template): {
  findings: TemplateFinding[]
  valueCount: number
} {
  const database = loadAwsServiceSpecSync()
  const walker = new SpecificationWalker(database)
  for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
    if (Type.startsWith('Custom::')) continue
    const [resource] = database.lookup('resource', 'cloudFormationType', 'equals', Type)
    if (!resource) walker.report(id, `${Type} is not an AWS resource type`)
    else walker.checkRecord(id, Properties, resource.properties)
  }
  return { findings: walker.findings, valueCount: walker.values }
}

const scalarChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => ['string', 'number', 'boolean'].includes(typeof value),
  // CloudFormation also accepts numbers as strings.
  number: (value) => !Number.isNaN(Number(value)),
  integer: (value) => Number.isInteger(Number(value)),
  boolean: (value) => ['true', 'false'].includes(String(value)),
  'date-time': (value) => typeof value === 'string',
}

class SpecificationWalker {
  readonly findings: TemplateFinding[] = []
  values = 0
  readonly #database: SpecDatabase

  constructor(database: SpecDatabase) {
    this.#database = database
  }

  report(at: string, problem: string): void {
    this.findings.push({ at, problem })
  }

  checkRecord(at: string, value: Readonly<Record<string, unknown>>, properties: ResourceProperties): void {
    for (const [name, { required }] of Object.entries(properties))
      if (required && value[name] === undefined) this.report(at, `${name} is missing`)
    for (const [name, one] of Object.entries(value)) {
      const property = properties[name]
      if (!property) this.report(at, `${name} is not a property of this resource`)
      else this.#checkValue(`${at}.${name}`, one, property.type)
    }
  }

  #checkValue(at: string, value: unknown, type: PropertyType): void {
    this.values++
    if (isIntrinsic(value) || type.type === 'json') return
    if (type.type === 'union') this.#checkOneOf(at, value, type.types)
    else if (type.type === 'array') this.#checkList(at, value, type.element)
    else if (type.type === 'map' || type.type === 'ref') this.#checkObject(at, value, type)
    else if (scalarChecks[type.type]?.(value) === false || typeof value === 'object')
      this.report(at, `expected ${type.type}, got ${JSON.stringify(value)?.slice(0, 80)}`)
  }

  #checkList(at: string, value: unknown, element: PropertyType): void {
    if (!Array.isArray(value)) this.report(at, 'expected a list')
    else for (const [index, one] of value.entries()) this.#checkValue(`${at}[${index}]`, one, element)
  }

  #checkObject(at: string, value: unknown, type: Extract<PropertyType, { type: 'map' | 'ref' }>): void {
    if (!isRecord(value)) this.report(at, 'expected an object')
    else if (type.type === 'ref')
      this.checkRecord(at, value, this.#database.get('typeDefinition', type.reference.$ref).properties)
    else for (const [key, one] of Object.entries(value)) this.#checkValue(`${at}.${key}`, one, type.element)
  }

  #checkOneOf(at: string, value: unknown, types: readonly PropertyType[]): void {
    const findingsByType = types.map((type) => {
      const walker = new SpecificationWalker(this.#database)
      walker.#checkValue(at, value, type)
      return walker.findings
    })
    const bestFindings = findingsByType.toSorted((a, b) => a.length - b.length)[0] ?? []
    this.findings.push(...bestFindings)
  }
}
