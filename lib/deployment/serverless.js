// Values for the Serverless Framework, which only loads .js files; Node loads the TypeScript modules imported here.

import { webSocketApi } from '../resources/web-sockets.ts'
import { createAlarmResources } from './alarms.ts'
import { createCanaryResources } from './canary.ts'
import { createCdnFileResources } from './cdn-files.ts'
import { createDashboardResources } from './dashboard.ts'
import { createEdgeResources } from './edge.ts'
import { createFunctions, createRecursionSettings } from './functions.ts'
import { createLayers } from './lambda-layers.ts'
import { createNetworkResources } from './network.ts'
import { createQueueResources } from './queues.ts'
import { createRoleResources } from './roles.ts'
import { getStageFromArgs, readStage } from './stage.ts'
import { createStorageResources } from './storage.ts'

const stage = readStage(getStageFromArgs(process.argv))

export const routeSelectionExpression = webSocketApi.routeSelectionExpression
export const { region, logDays, tags } = stage
export const functions = createFunctions(stage)
export const layers = createLayers(stage.name)
export const Resources = {
  ...createStorageResources(stage),
  ...createQueueResources(),
  ...createRoleResources(stage),
  ...createNetworkResources(stage),
  ...createEdgeResources(stage),
  ...createCdnFileResources(stage),
  ...createCanaryResources(stage),
  ...createAlarmResources(stage),
  ...createDashboardResources(createAlarmResources(stage)),
}
/** Properties of resources that the framework creates, for which it has no setting. */
export const extensions = {
  ...createRecursionSettings(),
  HttpApiStage: {
    Properties: {
      DefaultRouteSettings: {
        ThrottlingRateLimit: stage.requestsPerSecond,
        ThrottlingBurstLimit: stage.requestsPerSecond * 2,
      },
    },
  },
  // Without this property, the gateway of any AWS account could invoke the function with forged events.
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
