"""What must not be read by strangers, wherever words leave the process: messages, files, recordings, logs."""
