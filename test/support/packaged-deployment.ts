import { packageDeployment } from './deployment.ts'

export const {
  lambda,
  readLayerBytes,
  listResourcesOfType,
  onPackage,
  properties,
  queueOf,
  template,
  readZipBytes,
} = packageDeployment()
