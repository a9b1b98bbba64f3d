export const resolve = (specifier, context, next) => next(specifier === 'turnlog' ? 'turnlog/history' : specifier, context);
