import type { ErrorCode } from '../../../../lib/error-catalog.ts'
import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

const reloadAndRetry = 'Recarregue a página e tente novamente.'

const texts: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: 'A sessão não é mais válida. Entre novamente.',
  AUTHENTICATION_REQUIRED: 'Entre na conta para continuar.',
  INSUFFICIENT_PERMISSIONS: 'Não há acesso a este conteúdo. Entre com a conta à qual ele pertence.',
  RATE_LIMITED:
    'Um limite deste serviço foi atingido. Espere um minuto e tente novamente; a página Uso mostra os limites.',
  INVALID_INPUT: 'Um dos valores não é válido. Corrija-o e tente novamente.',
  INVALID_REQUEST: 'O serviço não entende estes dados. Corrija-os e tente novamente.',
  FILE_TOO_LARGE: 'O arquivo é grande demais. Escolha um arquivo menor ou divida-o antes.',
  UNSUPPORTED_FORMAT:
    'Não conhecemos este tipo de arquivo. Verifique se o nome tem a extensão correta ou salve o arquivo em outro formato.',
  UNSUPPORTED_CONVERSION: 'Este arquivo não pode ser convertido para esse formato. Escolha outro formato.',
  FORMAT_NOT_FOUND: 'Esse formato não existe. Escolha um da lista.',
  JOB_NOT_FOUND: 'Esta conversão foi excluída ou expirou. Converta o arquivo novamente.',
  TASK_NOT_FOUND: 'Este resultado não existe mais. Converta o arquivo novamente.',
  CONVERSION_FAILED:
    'Não foi possível converter o arquivo. Tente outro formato, ou abra o arquivo, salve-o de novo e repita.',
  CORRUPT_FILE:
    'O arquivo está danificado, incompleto ou não é do tipo que o nome indica. Abra-o no programa que o criou, salve-o de novo e repita.',
  TIMEOUT: 'A conversão demorou demais. Tente um arquivo menor, menos páginas ou um trecho mais curto.',
  INSUFFICIENT_DISK_SPACE:
    'Falta espaço no servidor. Tente novamente em alguns minutos ou exclua resultados antigos.',
  STORAGE_NOT_CONFIGURED:
    'O servidor não consegue guardar arquivos no momento. Tente mais tarde ou avise o responsável pelo serviço.',
  NO_FILES: 'Nenhum arquivo foi enviado. Escolha um arquivo e tente novamente.',
  FILE_GONE: 'Os arquivos expiraram e foram excluídos. Escolha o arquivo novamente.',
  EXPIRED: 'Este link expirou. Recarregue a página para obter um novo.',
  PDF_ENCRYPTED: 'Este PDF está protegido. Digite a senha para continuar.',
  DRIVE_NOT_CONFIGURED:
    'Este armazenamento em nuvem não está configurado aqui. Baixe o arquivo e adicione-o a partir do dispositivo.',
  NOT_FOUND: `Não encontrado. ${reloadAndRetry}`,
  METHOD_NOT_ALLOWED: `O serviço não permite esta ação. ${reloadAndRetry}`,
  NOT_ACCEPTABLE: `O serviço não permite esta ação. ${reloadAndRetry}`,
  CONFLICT: `Algo mudou nesse meio-tempo. ${reloadAndRetry}`,
  UNSUPPORTED_MEDIA_TYPE: `O serviço não permite esta ação. ${reloadAndRetry}`,
  HEADERS_TOO_LARGE: 'A solicitação é longa demais. Exclua os cookies desta página e tente novamente.',
  IDEMPOTENCY_KEY_REUSED: `Esta solicitação entra em conflito com uma anterior. ${reloadAndRetry}`,
  IDEMPOTENCY_IN_PROGRESS:
    'A mesma solicitação ainda está em andamento. Espere alguns segundos e tente novamente.',
  UPLOAD_NOT_FOUND: 'O envio expirou. Escolha o arquivo novamente.',
  UPLOAD_INCOMPLETE: 'O envio não terminou. Verifique a conexão e tente novamente.',
  WEBHOOK_NOT_FOUND: 'Este webhook não existe mais. Recarregue a página.',
  WORKFLOW_NOT_FOUND: 'Este fluxo de trabalho não existe mais. Recarregue a página.',
  API_KEY_NOT_FOUND: 'Esta chave de API não existe mais. Recarregue a página.',
  URL_NOT_ALLOWED: 'O serviço não pode usar este link. Digite um link público que comece com https://.',
  DRIVE_NOT_CONNECTED: 'O armazenamento não está conectado. Conecte-o e tente novamente.',
  INVALID_SIGNATURE: 'Este link foi alterado ou está incompleto. Copie o link inteiro ou peça um novo.',
  SERVICE_UNAVAILABLE: 'O serviço está ocupado no momento. Tente novamente em alguns segundos.',
  FILE_ENCRYPTED: 'Este arquivo está protegido. Digite a senha para continuar ou salve-o sem proteção.',
  IMPORT_FAILED:
    'Não foi possível obter o arquivo deste link ou armazenamento. Verifique se ele ainda existe e se outras pessoas podem abri-lo.',
  EXPORT_FAILED:
    'Não foi possível salvar o resultado no destino. Verifique a conexão com ele ou baixe o resultado.',
  INTERNAL_ERROR:
    'Algo deu errado no servidor. Tente novamente; se o erro continuar, avise o responsável pelo serviço.',
}

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  texts,
  tooLarge: (size, max) =>
    `O arquivo tem ${size}, mas o máximo é ${max}. Escolha um arquivo menor ou divida-o antes.`,
  maxSize: (max) =>
    `O arquivo é grande demais: o máximo é ${max}. Escolha um arquivo menor ou divida-o antes.`,
  retryIn: (seconds) =>
    seconds < 90
      ? `Solicitações demais. Tente novamente em ${seconds} s.`
      : `Um limite deste serviço foi atingido. Tente novamente em ${Math.ceil(seconds / 60)} min; a página Uso mostra os limites.`,
  wrongPassword: 'Esta senha não abre o arquivo. Confira-a e tente novamente.',
  fieldProblem: (label, value, rule) =>
    value === '' ? `${label}: ${rule}` : `${label}: “${value}” não é um valor válido. ${rule}`,
  reasons: {
    afterEnd: (length) => `O arquivo dura ${length}: escolha um momento anterior.`,
    noSuchPage: (pages) => `O documento tem ${plural(pages, 'página', 'páginas')}.`,
    tooManyImages: (max) => `Há espaço para ${max} imagens: escolha outro layout ou menos imagens.`,
    endBeforeStart: 'Escolha um momento depois do início.',
    allPages: 'Deve restar pelo menos uma página.',
    noRoom: 'As margens não deixam espaço na página: escolha margens menores ou um tamanho de papel maior.',
    tooManyPixels: 'A imagem teria pixels demais: escolha uma resolução mais baixa.',
    nothingToDo: 'Preencha pelo menos um campo.',
    eitherOr: 'Só um dos dois é possível: deixe este campo ou o outro em branco.',
    signed:
      'O PDF está assinado. Marque esta opção para alterá-lo mesmo assim; as assinaturas deixarão de ser válidas.',
    noMatch: 'Nenhum item do arquivo compactado corresponde.',
  },
}

export default words
