/**
 * Ids of managed CloudFront policies:
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html
 */
export const managedPolicies = {
  cachingDisabled: '4135ea2d-6844-44f8-82df-ad777ae401ad',
  cachingOptimized: '658327ea-f89d-4fab-a63d-7e88639e58f6',
  allViewerExceptHostHeader: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
} as const
