export * from '../../kit/pages/parts.ts';
