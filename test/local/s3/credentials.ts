// The credentials all S3 tests use.
export const identity = { accessKeyId: 'AKLOCAL', secretAccessKey: 'secret/with+signs' }
export const region = 'us-east-1'
