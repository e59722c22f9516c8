// Plugin of the Serverless Framework, which loads .js files only; Node loads the TypeScript behind this one.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { zipFunctions } from './zip-functions.ts'

/** Makes the packages of the functions before the framework looks for them. */
export default class Packages {
  constructor({ serviceDir }) {
    const folder = join(serviceDir, '.serverless')
    this.hooks = {
      'before:package:createDeploymentArtifacts': async () => {
        await mkdir(folder, { recursive: true })
        await zipFunctions(folder)
      },
    }
  }
}
