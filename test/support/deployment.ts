// The deployment as packaged by the Serverless Framework, and its content.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fillServiceFolder } from '../../lib/deployment/check/service-folder.ts'
import { getLayerFilename, type LambdaLayerId } from '../../lib/deployment/lambda-layers.ts'
import type { FunctionName } from '../../lib/resources/functions.ts'
import { taskFolder, unpackFunction } from '../packages/unpack.ts'
import { scratchFolder } from './scratch-folder.ts'

/** The CloudFormation properties that the tests read; each resource type has different ones. */
interface Properties {
  readonly [name: string]: unknown
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> }
  readonly Targets: readonly { readonly Arn: unknown }[]
  readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[]
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: readonly string[]
  readonly Resource: unknown
}

interface Resource {
  readonly Type: string
  readonly Properties: Properties
}

type Resources = Readonly<Record<string, Resource>>

function packageInto(folder: string): Resources {
  // The whole deployment, including optional functions.
  fillServiceFolder(folder, 'dev', { facades: 'v2' })
  const temporaryFolder = join(folder, 'tmp')
  mkdirSync(temporaryFolder)
  const canUnshare = spawnSync('unshare', ['--map-root-user', '--net', 'true']).status === 0
  if (!canUnshare)
    console.log('This machine gives no network namespace: packaging was not kept from the network.')
  const packagingResult = spawnSync(
    'unshare',
    [
      ...(canUnshare ? ['--map-root-user', '--net'] : []),
      process.execPath,
      'node_modules/.bin/serverless',
      'package',
    ],
    {
      cwd: folder,
      // The framework leaves temporary folders behind, which are deleted with this one.
      env: { HOME: join(folder, 'no-home'), TMPDIR: temporaryFolder, PATH: process.env.PATH },
      encoding: 'utf8',
      timeout: 400_000,
    },
  )
  assert.equal(packagingResult.status, 0, packagingResult.stdout + packagingResult.stderr)
  const template = readFileSync(join(folder, '.serverless/cloudformation-template-update-stack.json'), 'utf8')
  return JSON.parse(template).Resources
}

/** Returns the id of the resource that a value refers to. */
export function findReferencedId(value: unknown): string | undefined {
  const { Ref, 'Fn::GetAtt': getAtt } = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] }
  return Ref ?? getAtt?.[0]
}

export function packageDeployment() {
  const folder = scratchFolder('mutabor-serverless')
  const resources = packageInto(folder)

  const listResourcesOfType = (type: string) =>
    Object.entries(resources).filter(([, resource]) => resource.Type === type)

  function properties(id: string): Properties {
    const resource = resources[id]
    assert.ok(resource, `the template has no ${id}`)
    return resource.Properties
  }

  function findByName(type: string, property: string, name: string) {
    const foundResource = listResourcesOfType(type).find(
      ([, { Properties }]) => Properties[property] === `mutabor-dev-${name}`,
    )
    assert.ok(foundResource, `no ${type} ${name} is deployed`)
    return { id: foundResource[0], properties: foundResource[1].Properties }
  }

  /** Runs code in the folder of an unpacked function, which does not contain this checkout. */
  async function runInPackage(name: FunctionName, code: string): Promise<string> {
    const root = join(folder, 'functions-apart', name)
    if (!existsSync(root)) await unpackFunction(name, join(folder, '.serverless'), root)
    return execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: join(root, taskFolder),
      env: { AWS_REGION: 'eu-central-1', LOG_LEVEL: 'silent', SERVICE_SECRET: 'x'.repeat(40) },
      encoding: 'utf8',
      timeout: 240_000,
    })
  }

  return {
    listResourcesOfType,
    properties,
    lambda: (name: string) => findByName('AWS::Lambda::Function', 'FunctionName', name),
    template: { Resources: resources },
    readZipBytes: (name: FunctionName) => statSync(join(folder, `.serverless/${name}.zip`)).size,
    readLayerBytes: (id: LambdaLayerId) => statSync(join(folder, '.serverless', getLayerFilename(id))).size,
    queueOf: (image: string) => findByName('AWS::SQS::Queue', 'QueueName', image),
    onPackage: runInPackage,
  }
}
