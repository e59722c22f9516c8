import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Uso',
  lead: 'O que já foi usado e o que resta do plano.',
  quota: 'Plano atual',
  plan: 'Plano',
  largest: 'Tamanho máximo do arquivo',
  filesPerJob: 'Arquivos por trabalho',
  runningJobs: 'Trabalhos em andamento',
  ofLimit: (used, limit) => `${used} de ${limit}`,
  limited: 'Limite',
  limits: (kind, window) => `${kind} ${window}`,
  kinds: {
    requests: 'Solicitações',
    reads: 'Solicitações de leitura',
    'conversion-minutes': 'Minutos de conversão',
  },
  windows: { minute: 'por minuto', hour: 'por hora', day: 'por dia', month: 'por mês' },
  limit: 'Máximo',
  left: 'Restante',
  resets: 'Renova-se em',
  unlimited: 'ilimitado',
  noLimits: 'Sem limites',
  activity: 'Atividade',
  used: 'Usado',
  span: 'Período',
  lastDays: (days) => `Últimos ${days} dias`,
  by: 'Agrupar por',
  groupings: { engine: 'Mecanismo', format: 'Formato', key: 'Chave de API' },
  jobsByDay: 'Trabalhos por dia',
  day: 'Dia',
  name: 'Nome',
  jobs: 'Trabalhos',
  completed: 'Concluídos',
  failed: 'Com falha',
  minutes: 'Minutos',
  bytesIn: 'Entrada',
  bytesOut: 'Saída',
  nothing: 'Nenhuma atividade neste período.',
}

export default words
