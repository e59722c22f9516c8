import { packageDeployment } from './deployment.ts'

export const { lambda, readLayerBytes, ofType, onPackage, properties, queueOf, template, readZipBytes } =
  packageDeployment()
