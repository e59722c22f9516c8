/** The WebSocket API, which is deployed if a function has routes in it. */
export const webSocketApi = {
  /** Paths for all events of an owner. */
  paths: ['/ws/user/jobs', '/v1/ws/user/jobs'],
  /** Path prefix before a job id, for the events of one job. */
  jobPath: '/v1/ws/jobs/',
  routeSelectionExpression: '$request.body.action',
} as const
