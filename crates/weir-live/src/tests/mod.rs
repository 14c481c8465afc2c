mod decisions;
mod packets;
