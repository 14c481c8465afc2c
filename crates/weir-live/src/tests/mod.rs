mod decisions;
mod kernel;
mod packets;
