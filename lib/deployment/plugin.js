// Plugin of the Serverless Framework, which loads .js files only; Node loads the TypeScript behind this one.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { zipFunctions } from './zip-functions.ts'

/** Makes the packages of the functions before the framework looks for them. */
export default class Packages {
  constructor({ serviceDir, pluginManager }) {
    const folder = join(serviceDir, '.serverless')
    this.hooks = {
      'before:package:createDeploymentArtifacts': async () => {
        await mkdir(folder, { recursive: true })
        await zipFunctions(folder)
      },
      'before:package:compileLayers': async () => staysOffline(pluginManager),
    }
  }
}

/** The framework asks the account for the layers that it has, to send none again. They are small, and packaging asks nobody. */
function staysOffline({ plugins }) {
  const compiler = plugins.find((plugin) => plugin.constructor.name === 'AwsCompileLayers')
  if (!compiler?.compareWithLastLayer)
    throw new Error('This version of the framework makes layers otherwise.')
  compiler.compareWithLastLayer = async () => undefined
}
