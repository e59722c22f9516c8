// The Serverless Framework only loads values from .js files; Node loads the TypeScript modules imported here.

import { webSocketApi } from '../resources/web-sockets.ts'
import { alarmResources } from './alarms.ts'
import { canaryResources } from './canary.ts'
import { cdnFileResources } from './cdn-files.ts'
import { dashboardResources } from './dashboard.ts'
import { edgeResources } from './edge.ts'
import { deployedFunctions, recursionSettings } from './functions.ts'
import { deployedLayers } from './lambda-layers.ts'
import { networkResources } from './network.ts'
import { queueResources } from './queues.ts'
import { roleResources } from './roles.ts'
import { readStage, stageFromArgs } from './stage.ts'
import { storageResources } from './storage.ts'

const stage = readStage(stageFromArgs(process.argv))

export const routeSelectionExpression = webSocketApi.routeSelectionExpression
export const { region, logDays, tags } = stage
export const functions = deployedFunctions(stage)
export const layers = deployedLayers(stage.name)
export const Resources = {
  ...storageResources(stage),
  ...queueResources(),
  ...roleResources(stage),
  ...networkResources(stage),
  ...edgeResources(stage),
  ...cdnFileResources(stage),
  ...canaryResources(stage),
  ...alarmResources(stage),
  ...dashboardResources(alarmResources(stage)),
}
/** Properties of framework-generated resources for which the framework has no setting. */
export const extensions = {
  ...recursionSettings(),
  HttpApiStage: {
    Properties: {
      DefaultRouteSettings: {
        ThrottlingRateLimit: stage.requestsPerSecond,
        ThrottlingBurstLimit: stage.requestsPerSecond * 2,
      },
    },
  },
  // Without it, the gateway of any AWS account could invoke the function with events of its own making.
  SocketsLambdaPermissionWebsockets: {
    Properties: {
      SourceArn: {
        'Fn::Sub': `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${WebsocketsApi}/*`,
      },
    },
  },
  WebsocketsDeploymentStage: {
    Properties: {
      DefaultRouteSettings: {
        ThrottlingRateLimit: stage.requestsPerSecond,
        ThrottlingBurstLimit: stage.requestsPerSecond * 2,
      },
    },
  },
}
